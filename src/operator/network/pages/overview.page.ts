import { html, timeElement } from '../../../base/pages/html.js';
import type { Html } from '../../../base/pages/html.js';
import { MAX_COUNTED } from '../../../../projections/audit/activity.read-model.js';
import type { Overview } from '../answers.js';
import { consolePage } from '../../console/layout.js';
import type { Frame } from '../../desk/page.js';
import { commandOf, mayDo } from '../../console/may.js';
import { actForm, facts, state } from '../../console/parts.js';
import { counted, numbers } from '../../console/tables.js';
import { lagText, projectionsTable } from './projections.page.js';
import { waitingCard } from './waiting.js';

/** The first line answers: does the network serve, and if not, why. */
export function overviewPage(frame: Frame, overview: Overview): string {
  const { readiness, quarantine } = overview;
  const failed = Object.entries(readiness.components).filter(([, { status }]) => status === 'failed');
  const isServing = readiness.status === 'ok';
  const content = html`<section class="card" aria-labelledby="status">
      <h1 id="status">${isServing ? 'The network is serving' : 'The network is NOT READY'}</h1>
      ${
        quarantine === null
          ? undefined
          : html`<p class="problem">
              In quarantine: ${quarantine} <a href="/console/recovery/plan">The plan</a> says what to do
              (${commandOf('recovery.plan')}).
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
      <div class="gates">${publishingPart(frame, overview)} ${registrationPart(frame, overview)}</div>
    </section>
    ${identitiesCard(frame, overview)} ${waitingCard(frame, overview)}
    <div class="tiles">
      ${activityTile(overview)} ${busiestTile(frame, overview)} ${lagTile(overview)} ${witnessTile(overview)}
      ${jobTile(overview)} ${countsTile(overview)}
    </div>
    ${projectionsCard(overview)}`;
  return consolePage('Overview', content, frame, { isWide: true });
}

function publishingPart(frame: Frame, { isPublishingPaused: isPaused }: Overview): Html | undefined {
  if (isPaused === null) return undefined;
  const said = isPaused
    ? html`<p class="problem">Publishing is paused: nobody can post, edit or change a profile.</p>`
    : html`<p>Publishing goes on.</p>`;
  return isPaused
    ? gate(frame, said, 'publishing.resume', 'Resume publishing')
    : gate(frame, said, 'publishing.pause', 'Pause publishing');
}

function registrationPart(frame: Frame, { registration }: Overview): Html | undefined {
  if (registration === null) return undefined;
  return registration.isOpen
    ? gate(frame, html`<p>Registration is open.</p>`, 'registration.close', 'Close registration')
    : gate(
        frame,
        html`<p>Registration is closed: operators alone create accounts.</p>`,
        'registration.open',
        'Open registration',
      );
}

function gate({ proof, session }: Frame, said: Html, act: string, button: string): Html {
  const action = `/console/${act.replace('.', '/')}`;
  return html`<div>
    ${said}
    ${mayDo(session, act) ? actForm({ action, button, proof, id: act.replace('.', '-'), reason: 'optional' }) : undefined}
  </div>`;
}

/** Both together are the identity of an application: somebody else may answer for its name now. */
function identitiesCard({ session }: Frame, { changedIdentities: changed }: Overview): Html | undefined {
  if (changed === null || changed.length === 0) return undefined;
  const opens = mayDo(session, 'application.read');
  return html`<section class="card" aria-labelledby="identities">
    <h2 id="identities">Applications in new hands?</h2>
    <p>
      Redirect addresses and secret changed within a day. If the developers did not ask for both, suspend the
      application.
    </p>
    <ul class="links">
      ${changed.map(
        ({ clientId, name, at }) =>
          html`<li>
            ${
              opens
                ? html`<a href="/console/applications/${clientId}"><bdi>${name}</bdi></a>`
                : html`<bdi>${name}</bdi>`
            },
            ${timeElement(at)}
          </li>`,
      )}
    </ul>
  </section>`;
}

const activityNouns: Readonly<Record<string, string>> = {
  'post.created': 'posts',
  'account.registered': 'new accounts',
  'account.signed_in': 'sign-ins',
  'report.created': 'reports',
};

const atLeast = (count: number): string =>
  `${count >= MAX_COUNTED ? 'at least ' : ''}${numbers.format(count)}`;

const activityTile = ({ activity }: Overview): Html =>
  tile(
    'activity',
    'The last hour (the hour before)',
    activity === null
      ? html`<p>unknown: the database does not answer</p>`
      : facts(
          activity.map(({ type, lastHour, hourBefore }) => [
            activityNouns[type] ?? type,
            html`<strong>${atLeast(lastHour)}</strong> (${atLeast(hourBefore)})`,
          ]),
        ),
  );

function busiestTile({ session }: Frame, { busiest }: Overview): Html | undefined {
  if (busiest === null) return undefined;
  const opens = mayDo(session, 'application.impact');
  const named = ({ clientId, name }: (typeof busiest)[number]) =>
    opens
      ? html`<a href="/console/applications/${clientId}/impact"><bdi>${name}</bdi></a>`
      : html`<bdi>${name}</bdi>`;
  return tile(
    'busiest',
    'Most posts through',
    busiest.length === 0
      ? html`<p>No application posted in this hour or the one before.</p>`
      : facts(
          busiest.map((each) => [
            named(each),
            `${counted(each.posts, 'posts')} by ${each.isMore ? 'at least ' : ''}${counted(each.actors, 'accounts')}`,
          ]),
        ),
  );
}

const tile = (id: string, title: string, content: Html): Html =>
  html`<section class="card" aria-labelledby="${id}">
    <h2 id="${id}">${title}</h2>
    ${content}
  </section>`;

const lagTile = ({ lag, projections }: Overview): Html =>
  tile(
    'lag',
    'Projections',
    html`<p class="figure">${projections === null ? 'unknown' : lagText(lag)}</p>
      <p class="quiet small">how far the slowest one is behind the log</p>`,
  );

const witnessTile = ({ witnessEpoch, unsettled, incarnation }: Overview): Html =>
  tile(
    'witness',
    'Witness',
    html`<p class="figure">${witnessEpoch === null ? 'unknown' : numbers.format(witnessEpoch)}</p>
      <p class="quiet small">number of the newest entry in the ledger</p>
      ${facts([
        ['restrictions in doubt', unsettled === null ? 'unknown: it does not answer' : String(unsettled)],
        ['incarnation', incarnation ?? 'none is published'],
      ])}`,
  );

const jobTile = ({ newestJob: job, unfinishedBatches: batches }: Overview): Html =>
  tile(
    'job',
    'Newest job',
    html`<p class="figure">
        ${job === null ? 'none' : html`<a href="/console/jobs/${job.id}">${job.kind}</a> ${job.state}`}
      </p>
      ${facts([
        ...(job === null
          ? []
          : ([
              ['step', job.step ?? 'none'],
              [
                'done',
                `${numbers.format(job.done)}${job.total === null ? '' : ` of ${numbers.format(job.total)}`}`,
              ],
              ['requested', timeElement(job.requestedAt)],
            ] as const)),
        ['batches under way', batches === null ? 'unknown' : numbers.format(batches)],
      ])}`,
  );

const countsTile = ({ counts }: Overview): Html =>
  tile(
    'counts',
    'How many',
    counts === null
      ? html`<p>unknown: the database does not answer</p>`
      : facts(
          counts.map(({ name, count, isMore }) => [
            name,
            `${isMore ? 'more than ' : ''}${numbers.format(count)}`,
          ]),
        ),
  );

const projectionsCard = ({ projections }: Overview): Html | undefined =>
  projections === null
    ? undefined
    : tile(
        'projections',
        'Each projection',
        html`${projectionsTable(projections)}
          <p class="small"><a href="/console/projections">Rebuild them</a></p>`,
      );
