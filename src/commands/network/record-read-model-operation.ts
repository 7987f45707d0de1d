import { Command, CommandHandler } from '@nestjs/cqrs';
import type { ICommandHandler } from '@nestjs/cqrs';
import { recordReadModelOperation, evolveNetwork, noNetwork } from '../../domain/network/network.js';
import type { Network, NetworkEvent, ReadModelOperation } from '../../domain/network/network.js';
import { EventLog } from '../../log/event-log.js';
import type { EventMetadata } from '../../log/recorded.js';
import { streams } from '../../log/streams.js';
import { Clock } from '../../base/support/clock.js';
import { IdGenerator } from '../../base/support/id-generator.js';
import { handleCommand } from '../support/handle-command.js';

type RequestedOperation = ReadModelOperation extends infer Act
  ? Act extends ReadModelOperation
    ? { readonly type: Act['type']; readonly data: Omit<Act['data'], 'at'> }
    : never
  : never;

/**
 * Records in the log that an operator requested a rebuild, recovery or rollback, with the reason. Not idempotent.
 * @throws {Refusal} `recovery_state_missing`: the log has no network yet; errors of the log.
 */
export class RecordReadModelOperation extends Command<void> {
  constructor(
    readonly operation: RequestedOperation,
    readonly metadata: EventMetadata,
  ) {
    super();
  }
}

@CommandHandler(RecordReadModelOperation)
export class RecordReadModelOperationHandler implements ICommandHandler<RecordReadModelOperation> {
  constructor(
    private readonly log: EventLog,
    private readonly clock: Clock,
    private readonly ids: IdGenerator,
  ) {}

  async execute({ operation, metadata }: RecordReadModelOperation): Promise<void> {
    const event = { ...operation, data: { ...operation.data, at: this.clock.now() } } as ReadModelOperation;
    await handleCommand<Network, NetworkEvent>(this.log, this.ids, {
      stream: streams.network(),
      initial: noNetwork,
      evolve: evolveNetwork,
      decide: (network) => recordReadModelOperation(network, event),
      metadata,
    });
  }
}
