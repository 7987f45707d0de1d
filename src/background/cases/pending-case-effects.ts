import type { CommandBus } from '@nestjs/cqrs';
import type { Pool } from 'pg';
import { casesWithPendingEffects } from '../../../projections/cases/cases.read-model.js';
import { FinishCaseEffects } from '../../commands/case/case-effects.js';
import { ExclusiveTask } from '../exclusive-task.js';
import type { ExclusiveTaskOptions } from '../exclusive-task.js';
import { isOutage } from '../../log/witness/outage.js';

const INTERVAL_MS = 2_000;
const PAGE = 100;

export interface PendingCaseEffectsOptions extends ExclusiveTaskOptions {
  readonly commands: CommandBus;
  readonly pool: Pool;
}

/** Finishes the effects of decisions that a crash or an outage cut off. */
export class PendingCaseEffects extends ExclusiveTask {
  protected override readonly lock = 'case-effects';
  protected override readonly subject = 'effects of decisions';

  constructor(private readonly options: PendingCaseEffectsOptions) {
    super(INTERVAL_MS, options);
  }

  protected override async hasWork(): Promise<boolean> {
    return (await this.pending()).length > 0;
  }

  protected override async work(): Promise<void> {
    const { commands, logger } = this.options;
    for (const caseId of await this.pending()) {
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

  private pending(): Promise<readonly string[]> {
    return casesWithPendingEffects(this.options.pool, PAGE);
  }
}
