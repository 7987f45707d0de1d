import type { Append, AppendedEvents, EventLog } from '../event-log.js';
import type { Recorded } from '../recorded.js';
import type { OutstandingRestrictions } from './outstanding-restrictions.js';
import type { Witness } from './witness.js';
import { WitnessedLog } from './witnessed-log.js';

/**
 * The log for commands: a restriction is witnessed, and every reader honors it, before it is acknowledged
 * (docs/adr/0016).
 */
export class EnforcingLog extends WitnessedLog {
  constructor(
    log: EventLog,
    witness: Witness,
    now: () => number,
    private readonly outstanding: OutstandingRestrictions,
  ) {
    super(log, witness, now);
  }

  override async append(append: Append): Promise<AppendedEvents> {
    const appended = await super.append(append);
    const { restriction, position } = appended;
    if (restriction) await this.outstanding.hold([{ ...restriction, position }]);
    return appended;
  }

  override async ensureWitnessed(recorded: readonly Recorded[]): Promise<void> {
    await super.ensureWitnessed(recorded);
    await this.outstanding.hold(recorded);
  }
}
