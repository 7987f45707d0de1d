import { Command, CommandHandler } from '@nestjs/cqrs';
import type { ICommandHandler } from '@nestjs/cqrs';
import { evolveNetwork, noNetwork, networkMissing, rotateSigningKey } from '../../domain/network/network.js';
import { EventLog } from '../../log/event-log.js';
import type { EventMetadata } from '../../log/recorded.js';
import { readNewest } from '../../log/read-newest.js';
import { streams } from '../../log/streams.js';
import { Clock } from '../../base/support/clock.js';
import { IdGenerator } from '../../base/support/id-generator.js';
import { handleCommand } from '../support/handle-command.js';
import { SigningKeys } from './signing-keys.js';
import type { NextKey } from './signing-keys.js';

export interface RotatedKey extends NextKey {
  readonly changed: boolean;
}

/**
 * Publishes a new key at once; it signs ID tokens once every client can know it. Until then, a repeated call returns
 * the same key.
 * @throws {Refusal} `recovery_state_missing`: the log has no network yet; errors of log and vault.
 */
export class RotateSigningKey extends Command<RotatedKey> {
  constructor(readonly metadata: EventMetadata) {
    super();
  }
}

/**
 * Creates the key before the event: a rotation that stopped between the two is recorded by the retry. Checks beforehand
 * that the event can be recorded.
 */
@CommandHandler(RotateSigningKey)
export class RotateSigningKeyHandler implements ICommandHandler<RotateSigningKey> {
  constructor(
    private readonly log: EventLog,
    private readonly keys: SigningKeys,
    private readonly clock: Clock,
    private readonly ids: IdGenerator,
  ) {}

  async execute({ metadata }: RotateSigningKey): Promise<RotatedKey> {
    const at = this.clock.now();
    const stream = streams.network();
    const [first] = await readNewest(
      this.log,
      () => this.log.read(stream, { limit: 1 }),
      (found) => found.length > 0,
    );
    if (first?.event.type !== 'network.founded') throw networkMissing();
    const next = await this.keys.next(at);
    const { added } = await handleCommand(this.log, this.ids, {
      stream,
      initial: noNetwork,
      evolve: evolveNetwork,
      decide: (network) => rotateSigningKey(network, { ...next, at }),
      metadata,
    });
    return { ...next, changed: added.length > 0 };
  }
}
