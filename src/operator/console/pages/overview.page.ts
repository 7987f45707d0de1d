import { html } from '../../../pages/html.js';
import type { Html } from '../../../pages/html.js';
import type { Overview } from '../../acts/overview.acts.js';
import { consolePage } from '../layout.js';
import type { Frame } from '../layout.js';
import { mayDo } from '../may.js';
import { actForm, facts, state, timeElement } from '../parts.js';

const numbers = new Intl.NumberFormat('en');

/** The first line answers: does the network serve, and if not, why. */
export function overviewPage(frame: Frame, overview: Overview): string {
  const { readiness, quarantine, isPublishingPaused } = overview;
  const failed = Object.entries(readiness.components).filter(([, { status }]) => status === 'failed');
  const isServing = readiness.status === 'ok';
  const content = html`<section class="card" aria-labelledby="status">
      <h1 id="status">${isServing ? 'The network is serving' : 'The network is NOT READY'}</h1>
      ${
        quarantine === null
          ? undefined
          : html`<p class="problem">
              In quarantine: ${quarantine} <code>plaza recovery plan</code> says what to do.
            </p>`
      }
      ${
        failed.length === 0
          ? html`<p>Every part of it answers.</p>`
          : html`<ul class="listed">
              ${failed.map(
                ([name, { reason }]) =>
                  html`<li>
                    ${state('failed', true)} <strong>${name}</strong>: ${reason ?? 'no reason is known'}
                  </li>`,
              )}
            </ul>`
      }
      ${isPublishingPaused ? html`<p class="problem">Publishing is paused: nobody can post, edit or change a profile.</p>` : undefined}
      ${publishingForm(frame, isPublishingPaused)}
    </section>
    <div class="tiles">
      ${lagTile(overview)} ${witnessTile(overview)} ${jobTile(overview)} ${casesTile(frame, overview)}
      ${countsTile(overview)}
    </div>
    ${projectionsCard(overview)}`;
  return consolePage('Overview', content, frame);
}

function publishingForm({ proof, session }: Frame, isPaused: boolean | null): Html | undefined {
  const [act, button] = isPaused ? ['resume', 'Resume publishing'] : ['pause', 'Pause publishing'];
  if (isPaused === null || !mayDo(session, `publishing.${act}`)) return undefined;
  return actForm({
    action: `/console/publishing/${act}`,
    button,
    proof,
    id: 'publishing',
    reason: 'optional',
  });
}

const tile = (id: string, title: string, content: Html): Html =>
  html`<section class="card" aria-labelledby="${id}">
    <h2 id="${id}">${title}</h2>
    ${content}
  </section>`;

const bytes = (lag: number | null): string =>
  lag === null
    ? 'unknown: the log does not answer'
    : lag === 0
      ? 'up to date'
      : `${numbers.format(lag)} bytes behind`;

const lagTile = ({ lag, projections }: Overview): Html =>
  tile(
    'lag',
    'Projections',
    html`<p class="figure">${projections === null ? 'unknown' : bytes(lag)}</p>
      <p class="quiet small">how far the slowest one is behind the log</p>`,
  );

const witnessTile = ({ witnessEpoch, unsettled, incarnation }: Overview): Html =>
  tile(
    'witness',
    'Witness',
    html`<p class="figure">${witnessEpoch === null ? 'unknown' : `epoch ${numbers.format(witnessEpoch)}`}</p>
      ${facts([
        ['restrictions in doubt', unsettled === null ? 'unknown: it does not answer' : String(unsettled)],
        ['incarnation', incarnation ?? 'none is published'],
      ])}`,
  );

const jobTile = ({ newestJob: job }: Overview): Html =>
  tile(
    'job',
    'Newest job',
    job === null
      ? html`<p class="figure">none</p>`
      : html`<p class="figure">${job.kind} ${job.state}</p>
          ${facts([
            ['step', job.step ?? 'none'],
            [
              'done',
              `${numbers.format(job.done)}${job.total === null ? '' : ` of ${numbers.format(job.total)}`}`,
            ],
            ['requested', timeElement(job.requestedAt)],
          ])}`,
  );

const casesTile = ({ session }: Frame, { cases }: Overview): Html =>
  tile(
    'cases',
    'Cases',
    cases === null
      ? html`<p>unknown: the database does not answer</p>`
      : html`<p class="figure">${numbers.format(cases.open)} open</p>
          ${facts([
            ['claimed', numbers.format(cases.claimed)],
            ['appeals that wait', numbers.format(cases.appealed)],
          ])}
          ${mayDo(session, 'case.list') ? html`<p class="small"><a href="/console/cases">To the queue</a></p>` : undefined}`,
  );

const countsTile = ({ counts }: Overview): Html =>
  tile(
    'counts',
    'How many',
    counts === null
      ? html`<p>unknown: the database does not answer</p>`
      : facts(
          counts.map(({ name, count, isEstimate }) => [
            name,
            `${isEstimate ? 'about ' : ''}${numbers.format(count)}`,
          ]),
        ),
  );

function projectionsCard({ projections }: Overview): Html | undefined {
  if (projections === null) return undefined;
  return tile(
    'projections',
    'Each projection',
    html`<div class="scrolled" tabindex="0" role="group" aria-label="Table of projections">
      <table>
        <thead>
          <tr>
            <th scope="col">Projection</th>
            <th scope="col">Version</th>
            <th scope="col">Behind</th>
          </tr>
        </thead>
        <tbody>
          ${projections.map(
            ({ name, version, lag, stopped }) =>
              html`<tr>
                <th scope="row">${name}</th>
                <td>${String(version)}</td>
                <td>${bytes(lag)} ${stopped && state(`stands still: ${stopped.reason}`, true)}</td>
              </tr>`,
          )}
        </tbody>
      </table>
    </div>`,
  );
}
