import type { CommandBus } from '@nestjs/cqrs';
import { AppealDecision } from '../../../commands/case/change-case.js';
import { Refusal } from '../../../domain/refusal.js';
import type { AppealFault } from '../pages/own-cases.js';
import { Fault } from '../rules/faults.js';
import { pageRequestMetadata } from '../storage/exchange.js';
import type { FormFields, HttpExchange } from '../storage/exchange.js';
import { isIdentifier } from '../storage/identifier.js';

export class Appeals {
  constructor(private readonly commands: CommandBus) {}

  /**
   * Files the appeal of the fields `case`, `decision` and `appeal`. Returns undefined, or the fault of a text that is not
   * accepted.
   * @throws {Fault} the fields are invalid; {@link Refusal} the person cannot appeal this decision; errors of the log.
   */
  async file(exchange: HttpExchange, actorId: string, fields: FormFields): Promise<AppealFault | undefined> {
    const { case: caseId = '', decision: decisionId = '', appeal = '' } = fields;
    if (!isIdentifier(caseId) || !isIdentifier(decisionId))
      throw new Fault(400, 'invalid_request', 'The field case or decision is missing or invalid.');
    const filed = { actorId, decisionId, appeal };
    try {
      await this.commands.execute(
        new AppealDecision(caseId, filed, pageRequestMetadata(exchange, { actorId })),
      );
      return undefined;
    } catch (error) {
      if (!(error instanceof Refusal) || error.code !== 'invalid_text') throw error;
      return { decisionId, message: `Your ${error.message}`, typed: appeal };
    }
  }
}
