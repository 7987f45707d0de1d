import { evolveHandle, freeHandle, releaseHandleOfErased } from '../domain/account/account.js';
import type { HandleEvent } from '../domain/account/account.js';
import type { EventLog } from '../log/event-log.js';
import type { EventMetadata } from '../log/recorded.js';
import { streams } from '../log/streams.js';
import type { Clock, Ids } from './ambient.js';
import { decideOn, newestOf } from './decide-on.js';

/** Gives back a handle that an erased account holds, by the digest that names its stream. @throws {LogUnavailable} */
export async function releaseErasedHandle(
  { log, ids, clock }: { readonly log: EventLog; readonly ids: Ids; readonly clock: Clock },
  { digest, actorId, metadata }: { digest: string; actorId: string; metadata: EventMetadata },
): Promise<void> {
  await decideOn(log, ids, {
    stream: streams.handle(digest),
    read: newestOf,
    initial: freeHandle,
    evolve: (state: typeof freeHandle, event: HandleEvent) => evolveHandle(state, event),
    decide: (handle) => releaseHandleOfErased(handle, { actorId, at: clock.now() }),
    metadata,
  });
}

/** Whose handle it is, if that is an account that was erased, whose erasure is the last event of its stream. */
export async function erasedHolderOf(log: EventLog, digest: string): Promise<string | undefined> {
  const [newest] = await newestOf(log, streams.handle(digest));
  const handle = newest ? evolveHandle(freeHandle, newest.event as HandleEvent) : freeHandle;
  if (handle.status === 'free') return undefined;
  const [last] = await newestOf(log, streams.account(handle.actorId));
  return last?.event.type === 'account.erased' ? handle.actorId : undefined;
}
