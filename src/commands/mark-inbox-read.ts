import { Command } from '@nestjs/cqrs';
import type { InboxRead } from '../domain/inbox/events.js';
import { streams } from '../log/streams.js';
import { handles } from './support/handles.js';
import { createdId } from './support/intent.js';
import type { Intent } from './support/intent.js';

export type MarkedEntries =
  | { readonly ids: readonly string[]; readonly upTo?: undefined }
  | { readonly ids?: undefined; readonly upTo: number };

export interface InboxMarkOutcome {
  readonly position: bigint;
}

/**
 * Each marking is a stream of its own, so that no inbox stream grows without bound. Unknown ids mark nothing.
 * @throws {Refusal} `intent_conflict`; errors of log and vault.
 */
export class MarkInboxRead extends Command<InboxMarkOutcome> {
  constructor(
    readonly intent: Intent,
    readonly entries: MarkedEntries,
  ) {
    super();
  }
}

export const markInboxReadHandler = handles(MarkInboxRead, async ({ intent, entries }, write) => {
  const { actorId } = intent;
  const { position } = await write.intent<undefined, InboxRead>(
    { ...entries },
    {
      stream: streams.inboxRead(createdId('inbox-read', intent)),
      initial: undefined,
      evolve: () => undefined,
      intent,
      decide: () => [{ type: 'inbox.read', data: { actorId, ...entries, at: write.now() } }],
    },
  );
  return { position };
});
