import type { CommandBus } from '@nestjs/cqrs';
import type { Pool } from 'pg';
import type { Logger } from 'pino';
import { casesWithPendingEffects } from '../../projections/cases/cases.read-model.js';
import { FinishCaseEffects } from '../commands/case/case-effects.js';
import { PeriodicTask } from '../support/periodic-task.js';
import type { Witness } from '../witness/witness.js';
import { isOutage } from './outage.js';

const INTERVAL_MS = 2_000;
const PAGE = 100;

export interface PendingCaseEffectsOptions {
  readonly commands: CommandBus;
  readonly pool: Pool;
  readonly witness: Witness;
  readonly logger: Pick<Logger, 'info' | 'warn' | 'error'>;
}

/**
 * Finishes the effects of decisions that a crash or an outage cut off. A lock of the witness lets one process at a time do
 * this.
 */
export class PendingCaseEffects extends PeriodicTask {
  private hasWarned = false;

  constructor(private readonly options: PendingCaseEffectsOptions) {
    super(INTERVAL_MS);
  }

  protected override async runOnce(): Promise<void> {
    const { pool, witness, logger } = this.options;
    try {
      const pending = await casesWithPendingEffects(pool, PAGE);
      if (pending.length > 0) await witness.alone('case-effects', () => this.finish(pending));
      this.hasWarned = false;
    } catch (error) {
      const level = isOutage(error) ? 'warn' : 'error';
      if (!this.hasWarned) logger[level]({ err: error }, 'effects of decisions interrupted; retrying');
      this.hasWarned = true;
    }
  }

  private async finish(pending: readonly string[]): Promise<void> {
    const { commands, logger } = this.options;
    for (const caseId of pending) {
      if (this.isStopping) return;
      try {
        // The rows may lag behind the log, which has nothing left to do then.
        if ((await commands.execute(new FinishCaseEffects(caseId))) > 0)
          logger.info({ caseId }, 'finished the effects of a decision');
      } catch (error) {
        if (isOutage(error)) throw error;
        logger.error({ err: error, caseId }, 'effects of a decision failed; retrying');
      }
    }
  }
}
