import { expect, it } from '@jest/globals';
import type { Batch } from '../../log/event-log.js';
import type { Recorded } from '../../log/recorded.js';
import { logUpTo } from './log-up-to.js';
import { referenceIn } from './text-reference.js';

const post = (position: bigint, erased = false): Recorded => ({
  id: `event-${position}`,
  stream: `post-${position}`,
  revision: 3n,
  position,
  metadata: { requestId: 'r' },
  erased,
  event: {
    type: 'post.created',
    data: {
      postId: `${position}`,
      authorActorId: 'ada',
      appId: 'app',
      text: erased ? '' : 'a text',
      audience: 'public',
      mentions: ['bob'],
      at: 1,
    },
  },
});

/** A log that never ends, as a subscription does not. */
const logOf = (...batches: readonly Batch[]) => ({
  async *subscribe(): AsyncGenerator<Batch> {
    yield* batches;
    await new Promise(() => undefined);
  },
});

async function readUpTo(position: bigint, ...batches: readonly Batch[]): Promise<readonly Recorded[]> {
  const read: Recorded[] = [];
  const options = { after: undefined, types: [], batchSize: 9, signal: new AbortController().signal };
  for await (const { events, caughtUp } of logUpTo(logOf(...batches), position).subscribe(options)) {
    read.push(...events);
    if (caughtUp) return read;
  }
  throw new Error('the log ended without its end');
}

const positions = (events: readonly Recorded[]) => events.map(({ position }) => Number(position));

it.each([
  ['at an event', 2n, [1, 2]],
  ['between two events', 3n, [1, 2]],
  ['at the last event of a batch', 4n, [1, 2, 4]],
  ['after the head', 9n, [1, 2, 4, 5]],
])('ends %s, though the log goes on', async (_where, position, expected) => {
  const first = { events: [post(1n), post(2n), post(4n)], caughtUp: false };
  expect(positions(await readUpTo(position, first, { events: [post(5n)], caughtUp: true }))).toEqual(
    expected,
  );
});

it('has references in place of texts, and the placeholders of an erasure', async () => {
  const [written, erased] = await readUpTo(9n, { events: [post(1n), post(2n, true)], caughtUp: true });
  if (written?.event.type !== 'post.created' || erased?.event.type !== 'post.created')
    throw new Error('the posts are missing');
  expect(written.event.data).toMatchObject({ postId: '1', mentions: ['bob'], audience: 'public' });
  expect(referenceIn(written.event.data.text)).toEqual({
    eventId: 'event-1',
    stream: 'post-1',
    revision: '3',
  });
  expect(referenceIn(erased.event.data.text)).toBeUndefined();
});
