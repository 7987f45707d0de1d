import { html, timeElement } from '../../../base/pages/html.js';
import type { Html } from '../../../base/pages/html.js';
import type { RecoveryPlan } from '../../../recovery/plan/recovery-plan.js';
import type { RecoveryStatus, WitnessStatus } from '../../../recovery/plan/recovery-status.js';
import { consolePage } from '../../console/layout.js';
import type { Frame } from '../../desk/page.js';
import { commandOf, mayDo } from '../../console/may.js';
import { actForm, facts, state } from '../../console/parts.js';
import { numbers, table } from '../../console/tables.js';
import { jobsTable } from './job.page.js';

export function recoveryPage(frame: Frame, status: RecoveryStatus): string {
  const { incarnation, networkId, witness, witnessFault, jobs, retired } = status;
  const content = html`<section class="card" aria-labelledby="recovery">
      <h1 id="recovery">Recovery ${state(...shownState(status))}</h1>
      ${status.reason === null ? undefined : html`<p class="problem">${status.reason}</p>`}
      <p><a href="/console/recovery/plan">What a recovery would do now</a> (${commandOf('recovery.plan')})</p>
      ${facts([
        ['incarnation', incarnation ?? 'none is published'],
        ['network', networkId ?? 'unknown'],
      ])}
      <p class="quiet small">
        As ${commandOf('recovery.status')} says it. The runbook, <code>docs/recovery.md</code>, explains each
        state.
      </p>
    </section>
    <section class="card" aria-labelledby="witness">
      <h2 id="witness">Restrictions</h2>
      ${witness ? witnessFacts(witness) : html`<p class="problem">Unknown: ${witnessFault ?? 'no reason is known'}</p>`}
    </section>
    <section class="card" aria-labelledby="jobs">
      <h2 id="jobs">Jobs</h2>
      ${jobs.length === 0 ? html`<p>None yet.</p>` : jobsTable(jobs)}
    </section>
    ${retired.length === 0 ? undefined : keptCard(frame, retired)}`;
  return consolePage('Recovery', content, frame);
}

type Said = readonly [text: string, isBad: boolean];

const shownState = ({ state: is }: Pick<RecoveryStatus, 'state'>): Said =>
  is === 'none' ? ['nothing is published yet', true] : [is, is === 'quarantined'];

function witnessFacts({
  epochs,
  unsettled,
  brokenLine,
  missing,
  unwitnessed,
  onlyShown,
  setBack,
}: WitnessStatus): Html {
  const faults = [
    ...(brokenLine === null ? [] : [`The ledger was altered at line ${brokenLine}.`]),
    ...(setBack === null ? [] : [`The log was rolled back: ${setBack}`]),
    ...(unwitnessed === 0 ? [] : [`The witness lacks ${unwitnessed} restrictions that the log has.`]),
    ...(onlyShown === 0 ? [] : [`Log and witness lack ${onlyShown} restrictions that the read models have.`]),
  ];
  return html`${facts([
    ['witnessed', numbers.format(epochs.witness)],
    ['in the log', numbers.format(epochs.log)],
    ['applied', numbers.format(epochs.readModel)],
    ['in doubt', numbers.format(unsettled)],
    ['missing in the log', numbers.format(missing.count)],
  ])}
  ${faults.map((fault) => html`<p class="problem">${fault}</p>`)} ${missingTable(missing)}`;
}

const missingTable = ({ count, first }: WitnessStatus['missing']): Html | undefined =>
  count === 0
    ? undefined
    : html`<h2>Missing restrictions</h2>
        ${table(
          'The first missing restrictions',
          ['epoch', 'type', 'time', 'stream'],
          first.map(({ epoch, type, at, stream }) => [
            String(epoch),
            type,
            timeElement(at),
            html`<a href="/console/log/${stream}">${stream}</a>`,
          ]),
        )}`;

function keptCard({ proof, session }: Frame, retired: RecoveryStatus['retired']): Html {
  const isPossible = retired[0]?.refused === null && mayDo(session, 'recovery.rollback');
  return html`<section class="card" aria-labelledby="kept">
    <h2 id="kept">Earlier read models</h2>
    ${table(
      'Kept incarnations',
      ['incarnation', 'retired', 'kept until', 'rollback'],
      retired.map(({ incarnation, retiredAt, keptUntil, refused }) => [
        incarnation,
        timeElement(retiredAt),
        timeElement(keptUntil),
        refused ?? 'possible',
      ]),
    )}
    <p class="quiet small">${commandOf('recovery.rollback')} publishes the newest of them again.</p>
    ${
      isPossible
        ? actForm({
            action: '/console/recovery/rollback',
            button: 'Roll back to the newest of them',
            proof,
            id: 'rollback',
            reason: 'optional',
          })
        : undefined
    }
  </section>`;
}

export function planPage(frame: Frame, plan: RecoveryPlan): string {
  const { isNeeded, refused, restrictions, unsettled, rebuild, lost, reason } = plan;
  const { seconds, events, eventsPerSecond } = rebuild;
  const duration =
    seconds === null
      ? 'duration unknown, since no rebuild was measured here yet'
      : `about ${seconds} s (the last one: ${events} events at ${eventsPerSecond} a second)`;
  const content = html`<section class="card" aria-labelledby="plan">
    <h1 id="plan">Plan of a recovery ${state(...shownState(plan))}</h1>
    ${reason === null ? undefined : html`<p class="problem">${reason}</p>`}
    ${refused === null ? undefined : html`<p class="problem">Blocked: ${refused}</p>`}
    ${
      isNeeded
        ? html`<ol class="links">
              <li>append ${numbers.format(restrictions.count)} missing restrictions to the log again</li>
              <li>rebuild accounts, applications and grants from the log</li>
              <li>rebuild the read models, verify every table, publish them: ${duration}</li>
            </ol>
            ${unsettled === 0 ? undefined : html`<p>${numbers.format(unsettled)} restrictions are in doubt: each is looked up in the log.</p>`}
            <p>${lost}</p>
            ${missingTable(restrictions)}`
        : html`<p>There is nothing to recover.</p>`
    }
    ${isNeeded && refused === null && mayDo(frame.session, 'recovery.apply') ? applyForm(frame, plan) : undefined}
    <p class="quiet small">${commandOf('recovery.apply')} does it from the command line.</p>
    <p><a href="/console/recovery">Recovery</a></p>
  </section>`;
  return consolePage('Plan of a recovery', content, frame);
}

const applyForm = ({ proof }: Frame, { needsReseed }: RecoveryPlan): Html =>
  actForm({
    action: '/console/recovery/apply',
    button: 'Recover',
    proof,
    id: 'apply',
    reason: 'optional',
    ...(needsReseed && {
      fields: html`<p class="choice">
        <input type="checkbox" id="reseed" name="reseedWitness" value="yes" required />
        <label for="reseed">
          The witness was lost or rolled back, and no newer copy of it exists: record every restriction of the
          log in it again.
        </label>
      </p>`,
    }),
  });
