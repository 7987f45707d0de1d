import { Command, CommandHandler } from '@nestjs/cqrs';
import type { ICommandHandler } from '@nestjs/cqrs';
import { evolveNetwork, noNetwork, notFounded, rotateSigningKey } from '../../domain/network/network.js';
import { EventLog } from '../../log/event-log.js';
import type { EventMetadata } from '../../log/recorded.js';
import { streams } from '../../log/streams.js';
import { Clock, IdGenerator } from '../support/ambient.js';
import { handleCommand } from '../support/handle-command.js';
import { SigningKeys } from './signing-keys.js';
import type { NextKey } from './signing-keys.js';

export interface RotatedKey extends NextKey {
  /** False: a rotation was under way, and this is its key. */
  readonly changed: boolean;
}

/** Publishes a new key at once, which signs ID tokens once everybody can know it. Repeating it meanwhile changes nothing. */
export class RotateSigningKey extends Command<RotatedKey> {
  constructor(readonly metadata: EventMetadata) {
    super();
  }
}

/**
 * The key first, then the fact: a rotation that was cut off between the two is put down when it is tried again. That the
 * fact can be put down at all is asked before.
 */
@CommandHandler(RotateSigningKey)
export class RotateSigningKeyHandler implements ICommandHandler<RotateSigningKey> {
  constructor(
    private readonly log: EventLog,
    private readonly keys: SigningKeys,
    private readonly clock: Clock,
    private readonly ids: IdGenerator,
  ) {}

  /** @throws {Refusal} `recovery_state_missing`: the log has no network yet; what log and vault throw. */
  async execute({ metadata }: RotateSigningKey): Promise<RotatedKey> {
    const at = this.clock.now();
    const stream = streams.network();
    const [first] = await this.log.read(stream, { limit: 1 });
    if (first?.event.type !== 'network.founded') throw notFounded();
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
