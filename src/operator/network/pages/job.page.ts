import { html, timeElement } from '../../../base/pages/html.js';
import type { Html } from '../../../base/pages/html.js';
import { runnableStates } from '../../../../projections/jobs/job.js';
import type { Job } from '../../../../projections/jobs/job.js';
import { consolePage } from '../../console/layout.js';
import { requesterNamed } from '../../console/requester.js';
import type { Frame, View } from '../../desk/page.js';
import { mayDo } from '../../console/may.js';
import { actForm, facts, state } from '../../console/parts.js';
import { progressBar, reloading } from '../../console/progress.js';
import { numbers, table } from '../../console/tables.js';

export const isJobRunning = ({ state: is }: Job): boolean =>
  (runnableStates as readonly string[]).includes(is);

const nouns: Readonly<Record<Job['kind'], string>> = {
  rebuild: 'Rebuild',
  recover: 'Recovery',
  rollback: 'Rollback',
};

export function jobPage(frame: Frame, job: Job, { isReloading }: View): string {
  const { id, kind, names, state: is, step, done, total, rate, message } = job;
  const one = `/console/jobs/${id}`;
  const isRunning = isJobRunning(job);
  const content = html`<section class="card" aria-labelledby="job">
    <h1 id="job">${nouns[kind]} ${state(is, is === 'failed' || is === 'paused')}</h1>
    ${message === null ? undefined : html`<p>${message}</p>`}
    ${isRunning ? html`${progressBar(`Progress of the ${kind}`, done, total)} ${reloading(one, isReloading)}` : undefined}
    ${
      is === 'paused'
        ? html`<p class="problem">
            It is paused, and goes on where it stopped once it is requested again:
            <a href="${kind === 'rebuild' ? '/console/projections' : '/console/recovery/plan'}">to the form</a
            >.
          </p>`
        : undefined
    }
    ${facts([
      ['step', step ?? (isRunning ? 'waiting for a worker' : 'none')],
      ...(rate === null ? [] : [['events a second', numbers.format(Math.round(rate))] as const]),
      ...(names.length === 0 ? [] : [['projections', names.join(', ')] as const]),
      ['requested', timeElement(job.requestedAt)],
      ['by', requesterNamed(job.requestedBy)],
      ...(job.reason === null ? [] : [['why', job.reason] as const]),
      ['newest report', timeElement(job.updatedAt)],
      ['id', html`<code>${id}</code>`],
    ])}
    ${
      isRunning && !isReloading && mayDo(frame.session, 'job.pause')
        ? actForm({ action: `${one}/pause`, button: 'Pause it', proof: frame.proof, id: 'pause' })
        : undefined
    }
    <p><a href="/console/recovery">Recovery</a> · <a href="/console/projections">Projections</a></p>
  </section>`;
  return consolePage(`${nouns[kind]} ${id}`, content, frame);
}

export const jobsTable = (jobs: readonly Job[]): Html =>
  table(
    'The newest jobs',
    ['job', 'state', 'requested', 'by', 'message'],
    jobs.map(({ id, kind, state: is, requestedAt, requestedBy, message, step }) => [
      html`<a href="/console/jobs/${id}">${nouns[kind]}</a>`,
      state(is, is === 'failed' || is === 'paused'),
      timeElement(requestedAt),
      requesterNamed(requestedBy),
      message ?? step ?? '',
    ]),
  );
