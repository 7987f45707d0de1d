import { restrictionHash } from '../../../src/log/witness/canonical.js';
import type { Restriction, Witness } from '../../../src/log/witness/witness.js';
import type { Recorded } from '../../../src/log/recorded.js';
import type { RestrictionEvent } from '../../../src/log/restrictions.js';
import { MemoryLog } from '../../projections/support/memory-log.js';
import { some } from '../../projections/support/recorded.js';
import type { TestPostgres } from '../../support/postgres.js';
import { openReadyWitness } from '../../support/witness.js';

/** A log with two posts, and a witness. */
export class LogAndWitness {
  readonly log = new MemoryLog();
  private readonly opened: Witness[];

  private constructor(
    readonly witnessUrl: string,
    public witness: Witness,
  ) {
    this.opened = [witness];
    this.log.add(some.founding('n'), some.post('p1'), some.post('p2'));
  }

  static async open(postgres: TestPostgres): Promise<LogAndWitness> {
    const url = await postgres.createDatabase();
    return new LogAndWitness(url, await openReadyWitness(url));
  }

  /** Another, empty witness. */
  async openEmpty(postgres: TestPostgres): Promise<Witness> {
    return this.closeLater(await openReadyWitness(await postgres.createDatabase()));
  }

  closeLater(witness: Witness): Witness {
    this.opened.push(witness);
    return witness;
  }

  /** Appends a restriction with this epoch, and has the witness accept it. */
  async restrict(event: RestrictionEvent, epoch: number, into = this.log): Promise<void> {
    const recorded = into.addWitnessed(epoch, event);
    const prepared = await this.witness.prepare(restrictionOf(recorded), 0);
    if (prepared.epoch !== BigInt(epoch)) throw new Error(`The witness gave number ${prepared.epoch}`);
    await this.accept(recorded);
  }

  /** The same, finalized. Returns the event's id. */
  async restrictAndFinalize(event: RestrictionEvent, epoch: number): Promise<string> {
    await this.restrict(event, epoch);
    const [last] = await this.witness.after(BigInt(epoch - 1), 1);
    await this.witness.finalize(last?.restriction.id ?? '', 0);
    return last?.restriction.id ?? '';
  }

  /** Appends a restriction that stays prepared in the witness. */
  async appendPrepared(event: RestrictionEvent, epoch: number): Promise<Recorded<RestrictionEvent>> {
    const recorded = this.log.addWitnessed(epoch, event);
    await this.witness.prepare(restrictionOf(recorded), 0);
    return recorded;
  }

  async accept(recorded: Recorded<RestrictionEvent>): Promise<void> {
    const { id, position } = recorded;
    await this.witness.accept(id, { hash: restrictionHash(restrictionOf(recorded)), position }, 0);
  }

  async close(): Promise<void> {
    for (const each of this.opened) await each.close();
  }
}

function restrictionOf({ id, stream, event, metadata }: Recorded<RestrictionEvent>): Restriction {
  const { witnessEpoch: _, ...asked } = metadata;
  return { id, stream, event, metadata: asked };
}
