import type { Readable } from 'node:stream';
import type { FeedPage } from '../../projections/feed/feed.read-model.js';
import type { Read } from '../../src/doors/api/admission/protected-reads.js';
import type { SharedRequest } from '../../src/doors/api/admission/shared-reads.js';
import { EventStreams } from '../../src/doors/api/resources/events/event-streams.js';
import { HttpRefusal } from '../../src/server/errors.js';

export const NOW = 1_763_700_000_000;

export const nothingAt = (cursor: number, incarnation = 'i1'): Read<FeedPage> => ({
  result: { events: [], cursor, replace: false },
  caller: undefined,
  incarnation,
  revision: cursor,
});
const callerOf = (actorId: string, expiresAt = NOW + 300_000) => ({
  actorId,
  appId: 'pebble',
  grantId: 'g',
  scopes: ['read'],
  expiresAt,
});
export const readBy = (actorId: string, expiresAt?: number) => ({
  ...nothingAt(48),
  caller: callerOf(actorId, expiresAt),
});
export const deletedAt = (position: number): Read<FeedPage> => ({
  ...nothingAt(position),
  result: {
    events: [{ kind: 'post.deleted', postId: 'p', position, at: NOW, actorId: 'a' }],
    cursor: position,
    replace: false,
  },
});

interface Asked {
  /** Cursors of each shared read. */
  readonly together: number[][];
  readonly alone: number[];
}

/** Streams without changes, until `answers` gives some: shared reads by token, reads of one stream without. */
export function streamsWithoutChanges(mostOpen = { ofListener: 2, ofProcess: 5, anonymous: 3 }) {
  const listening = new Set<() => void>();
  const asked: Asked = { together: [], alone: [] };
  const explained: unknown[] = [];
  const clock = { passedMs: 0, now: () => NOW + clock.passedMs };
  const answers = {
    together: (_request: SharedRequest): Read<FeedPage> => nothingAt(48),
    alone: nothingAt(48),
  };
  const streams = new EventStreams(
    {
      clock,
      changes: {
        subscribe: (onNews) => {
          listening.add(onNews);
          return () => void listening.delete(onNews);
        },
      },
      reads: {
        read: (_reader, cursor = 0) => {
          asked.alone.push(cursor);
          return Promise.resolve(answers.alone);
        },
        readAll: (requests) => {
          asked.together.push(requests.map(({ cursor }) => cursor));
          const told = requests.map((request) => {
            try {
              return { request, read: answers.together(request) };
            } catch (fault) {
              return { request, fault };
            }
          });
          return Promise.resolve({ answers: told, delayed: undefined });
        },
      },
      explain: (fault) => {
        explained.push(fault);
        return { error: fault instanceof HttpRefusal ? fault.code : 'server_error', message: 'why' };
      },
    },
    mostOpen,
  );
  const opened: Readable[] = [];
  const begin = (listener = 'alice', first: Read<FeedPage> = readBy(listener), token = listener) => {
    const credential = first.caller && { tokenHash: Buffer.from(token) };
    const stream = streams
      .start(listener, first, { credential, meter: undefined as never })
      .setEncoding('utf8');
    opened.push(stream);
    return stream;
  };
  const news = () => listening.forEach((onNews) => onNews());
  const stop = () => opened.forEach((stream) => stream.destroy());
  return { begin, news, stop, listening, asked, explained, answers, clock, streams };
}
