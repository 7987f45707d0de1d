import { Command, CommandHandler } from '@nestjs/cqrs';
import type { ICommandHandler } from '@nestjs/cqrs';
import type { InboxRead } from '../domain/inbox/events.js';
import { EventLog } from '../log/event-log.js';
import { payloadDigest } from '../log/encryption.js';
import { streams } from '../log/streams.js';
import { KeyVault } from '../log/vault/key-vault.js';
import { Clock } from '../base/support/clock.js';
import { IdGenerator } from '../base/support/id-generator.js';
import { handleIdempotentCommand } from './support/handle-idempotent-command.js';
import { createdId } from './support/intent.js';
import type { Intent } from './support/intent.js';

export type MarkedEntries =
  | { readonly ids: readonly string[]; readonly upTo?: undefined }
  | { readonly ids?: undefined; readonly upTo: number };

export interface InboxMarkOutcome {
  readonly position: bigint;
}

export class MarkInboxRead extends Command<InboxMarkOutcome> {
  constructor(
    readonly intent: Intent,
    readonly entries: MarkedEntries,
  ) {
    super();
  }
}

/**
 * Each marking is a stream of its own, so that no inbox stream grows without bound. Unknown ids mark nothing.
 * @throws {Refusal} `intent_conflict`; errors of log and vault.
 */
@CommandHandler(MarkInboxRead)
export class MarkInboxReadHandler implements ICommandHandler<MarkInboxRead> {
  constructor(
    private readonly log: EventLog,
    private readonly vault: KeyVault,
    private readonly clock: Clock,
    private readonly ids: IdGenerator,
  ) {}

  async execute({ intent, entries }: MarkInboxRead): Promise<InboxMarkOutcome> {
    const { actorId } = intent;
    const { position } = await handleIdempotentCommand<undefined, InboxRead>(this.log, this.ids, {
      stream: streams.inboxRead(createdId('inbox-read', intent)),
      initial: undefined,
      evolve: () => undefined,
      intent,
      payloadHash: payloadDigest(await this.vault.keyOf(actorId), { ...entries }),
      decide: () => [{ type: 'inbox.read', data: { actorId, ...entries, at: this.clock.now() } }],
    });
    return { position };
  }
}
