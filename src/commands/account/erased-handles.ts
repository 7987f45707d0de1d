import { evolveHandle, freeHandle, releaseHandleOfErased } from '../../domain/account/account.js';
import type { HandleEvent } from '../../domain/account/account.js';
import type { EventLog } from '../../log/event-log.js';
import type { EventMetadata } from '../../log/recorded.js';
import { streams } from '../../log/streams.js';
import type { Clock } from '../../base/support/clock.js';
import type { IdGenerator } from '../../base/support/id-generator.js';
import { handleCommand, newestEventOf } from '../support/handle-command.js';

interface Dependencies {
  readonly log: EventLog;
  readonly ids: IdGenerator;
  readonly clock: Clock;
}

interface HandleRelease {
  readonly digest: string;
  readonly metadata: EventMetadata;
}

export async function releaseHandleOfErasedAccount(
  { log, ids, clock }: Dependencies,
  { digest, actorId, metadata }: HandleRelease & { readonly actorId: string },
): Promise<void> {
  await handleCommand(log, ids, {
    stream: streams.handle(digest),
    read: newestEventOf,
    initial: freeHandle,
    evolve: (state: typeof freeHandle, event: HandleEvent) => evolveHandle(state, event),
    decide: (handle) => releaseHandleOfErased(handle, { actorId, at: clock.now() }),
    metadata,
  });
}

/**
 * Releases a handle that is about to be claimed if its holder is erased: the erasure had stopped early, or raced with a
 * change of handle.
 * @throws {LogUnavailable}
 */
export async function releaseIfHolderErased(
  dependencies: Dependencies,
  { digest, metadata }: HandleRelease,
): Promise<void> {
  const [newest] = await newestEventOf(dependencies.log, streams.handle(digest));
  const handle = newest ? evolveHandle(freeHandle, newest.event as HandleEvent) : freeHandle;
  if (handle.status === 'free') return;
  const { actorId } = handle;
  // An erasure is the last event of its stream.
  const [last] = await newestEventOf(dependencies.log, streams.account(actorId));
  if (last?.event.type === 'account.erased')
    await releaseHandleOfErasedAccount(dependencies, { digest, actorId, metadata });
}
