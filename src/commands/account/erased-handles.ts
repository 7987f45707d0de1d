import { evolveHandle, freeHandle, releaseHandleOfErased } from '../../domain/account/account.js';
import type { HandleEvent } from '../../domain/account/account.js';
import type { EventLog } from '../../log/event-log.js';
import type { EventMetadata } from '../../log/recorded.js';
import { streams } from '../../log/streams.js';
import type { Clock, IdGenerator } from '../support/ambient.js';
import { handleCommand, newestOf } from '../support/handle-command.js';

interface World {
  readonly log: EventLog;
  readonly ids: IdGenerator;
  readonly clock: Clock;
}

/** `digest`: names the handle's stream. */
interface OfHandle {
  readonly digest: string;
  readonly metadata: EventMetadata;
}

/** Gives back a handle that an erased account holds. @throws {LogUnavailable} */
export async function releaseErasedHandle(
  { log, ids, clock }: World,
  { digest, actorId, metadata }: OfHandle & { readonly actorId: string },
): Promise<void> {
  await handleCommand(log, ids, {
    stream: streams.handle(digest),
    read: newestOf,
    initial: freeHandle,
    evolve: (state: typeof freeHandle, event: HandleEvent) => evolveHandle(state, event),
    decide: (handle) => releaseHandleOfErased(handle, { actorId, at: clock.now() }),
    metadata,
  });
}

/**
 * Frees a handle that somebody wants from an account that was erased: one that was cut off, or changed its handle at that
 * very moment. @throws {LogUnavailable}
 */
export async function freeOfErased(world: World, { digest, metadata }: OfHandle): Promise<void> {
  const [newest] = await newestOf(world.log, streams.handle(digest));
  const handle = newest ? evolveHandle(freeHandle, newest.event as HandleEvent) : freeHandle;
  if (handle.status === 'free') return;
  const { actorId } = handle;
  // An erasure is the last event of its stream.
  const [last] = await newestOf(world.log, streams.account(actorId));
  if (last?.event.type === 'account.erased') await releaseErasedHandle(world, { digest, actorId, metadata });
}
