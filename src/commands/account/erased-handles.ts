import { releaseHandleOfErased } from '../../domain/account/account.js';
import type { EventMetadata } from '../../log/recorded.js';
import { streams } from '../../log/streams.js';
import { aggregates, readState } from '../support/aggregates.js';
import { newestEventOf } from '../support/handle-command.js';
import type { WriteSide } from '../support/write-side.js';

interface HandleRelease {
  readonly digest: string;
  readonly metadata: EventMetadata;
}

export async function releaseHandleOfErasedAccount(
  write: WriteSide,
  { digest, actorId, metadata }: HandleRelease & { readonly actorId: string },
): Promise<void> {
  await write.change(aggregates.handle(digest), metadata, (handle) =>
    releaseHandleOfErased(handle, { actorId, at: write.now() }),
  );
}

/**
 * The handle for a claim. Before each read it is released if its holder is erased: the erasure had stopped early, or raced
 * with a change of handle.
 */
export function claimedHandle(write: WriteSide, release: HandleRelease) {
  const handle = aggregates.handle(release.digest);
  const read: typeof newestEventOf = async (log, stream) => {
    await releaseIfHolderErased(write, release);
    return newestEventOf(log, stream);
  };
  return { ...handle, read };
}

/** @throws {LogUnavailable} */
async function releaseIfHolderErased(write: WriteSide, release: HandleRelease): Promise<void> {
  const handle = await readState(write.log, aggregates.handle(release.digest));
  if (handle.status === 'free') return;
  const { actorId } = handle;
  // An erasure is the last event of its stream.
  const [last] = await newestEventOf(write.log, streams.account(actorId));
  if (last?.event.type === 'account.erased')
    await releaseHandleOfErasedAccount(write, { ...release, actorId });
}
