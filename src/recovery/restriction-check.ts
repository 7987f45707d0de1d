import type { ClientBase, Pool } from 'pg';
import type { EventLog } from '../log/event-log.js';
import { differences } from './missing-restrictions.js';
import type { Difference } from './missing-restrictions.js';
import type { Witness, Witnessed } from './witness/witness.js';

/** What was prepared longer ago than this is settled: nothing with a lower number is accepted any more but by proof. */
const SETTLED_MS = 5 * 60_000;
/** Enough to know that there is something; `recovery plan` lists all. */
const MOST_TOLD = 100;
const EXAMPLES = 5;

/**
 * Asks again and again whether the log has all that the witness has accepted. Remembers up to where that was proven, so
 * that it costs next to nothing while nothing is new: one for each log that was proven to be the same.
 */
export class RestrictionCheck {
  private proven: Witnessed | undefined;

  constructor(
    private readonly witness: Witness,
    private readonly log: EventLog,
  ) {}

  /**
   * Why protected reads must be refused, in words for an operator; undefined: nothing is missing. `schema`: of the
   * incarnation that reads are admitted to; undefined: of none, or it has no table of restrictions. `now`: Unix ms.
   * @throws {WitnessUnavailable} {@link LogUnavailable} and faults of Postgres: nothing is proven.
   */
  async run(
    database: Pool | ClientBase,
    schema: string | undefined,
    now: number,
  ): Promise<string | undefined> {
    const { witness, log } = this;
    await this.forgetWhatIsGone();
    let { proven } = this;
    const found: Difference[] = [];
    const onCompared = (witnessed: Witnessed) => {
      if (witnessed.preparedAt < now - SETTLED_MS) proven = witnessed;
    };
    const after = proven?.epoch ?? 0n;
    for await (const each of differences({ witness, log, database, schema, after, onCompared })) {
      if (found.push(each) === MOST_TOLD) break;
    }
    if (found.length > 0) return reasonOf(found);
    this.proven = proven;
    return undefined;
  }

  /** A witness that was set back gives its numbers once more: what was proven of it proves nothing then. */
  private async forgetWhatIsGone(): Promise<void> {
    if (!this.proven) return;
    const { id } = this.proven.restriction;
    const still = (await this.witness.find([id])).get(id);
    if (still?.epoch !== this.proven.epoch) this.proven = undefined;
  }
}

function reasonOf(found: readonly Difference[]): string {
  const missing = found.flatMap((each) => (each.kind === 'missing' ? [each.witnessed.epoch] : []));
  const unwitnessed = found.flatMap((each) => (each.kind === 'unwitnessed' ? [each.epoch] : []));
  const sentences = [
    ...(missing.length > 0
      ? [
          `The log lacks ${counted(missing)}, accepted by the witness: what was taken away would be there again.`,
        ]
      : []),
    ...(unwitnessed.length > 0
      ? [
          `The witness lacks ${counted(unwitnessed)}, which the log has: it was set back or is another one, and cannot prove that the log has everything.`,
        ]
      : []),
  ];
  return sentences.join(' ');
}

function counted(epochs: readonly bigint[]): string {
  const most = epochs.length === MOST_TOLD ? 'at least ' : '';
  const listed = epochs.slice(0, EXAMPLES).join(', ') + (epochs.length > EXAMPLES ? ', …' : '');
  return epochs.length === 1
    ? `restriction number ${listed}`
    : `${most}${epochs.length} restrictions (numbers ${listed})`;
}
