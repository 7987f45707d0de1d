import { describe, expect, it } from '@jest/globals';
import { LeaderChanged, LogUnavailable, WrongExpectedRevision } from '../../log/event-log.js';
import type { Append, EventLog } from '../../log/event-log.js';
import { readFromMemory, handleCommand } from './handle-command.js';

const context = {
  stream: 's',
  initial: undefined,
  evolve: () => undefined,
  decide: () => [{ type: 'handle.claimed' as const, data: { actorId: 'a', at: 1 } }],
  metadata: { requestId: 'r' },
};
const ids = { random: () => 'x', uuid: () => 'x' };

/** The first `times` appends meet another writer. */
const contended = (times: number) => {
  let left = times;
  return {
    leadership: () => Promise.resolve({ holds: true }),
    read: () => Promise.resolve([]),
    append: () =>
      left-- > 0
        ? Promise.reject(new WrongExpectedRevision('x'))
        : Promise.resolve({ revision: 0n, position: 7n }),
  } as unknown as EventLog;
};

describe('a decision', () => {
  it('is repeated when another writer was first', async () => {
    const { added } = await handleCommand(contended(3), ids, context);
    expect(added).toMatchObject([{ revision: 0n, position: 7n }]);
  });

  it('uses events that were read before, and reads again when another writer was first', async () => {
    let reads = 0;
    const log = contended(1);
    log.read = () => Promise.resolve([]).finally(() => (reads += 1));
    const { added } = await handleCommand(log, ids, { ...context, read: readFromMemory([]) });
    expect([added.length, reads]).toEqual([1, 1]);
  });

  it('on a probably new stream is appended unread, and reads it if it is not new', async () => {
    for (const conflicts of [0, 1]) {
      let reads = 0;
      const log = contended(conflicts);
      log.read = () => Promise.resolve([]).finally(() => (reads += 1));
      const { past, added } = await handleCommand(log, ids, { ...context, isProbablyNew: true });
      expect([past.length, added.length, reads]).toEqual([0, 1, conflicts]);
    }
  });

  it('is repeated as often after a guess as without one', async () => {
    const guessing = { ...context, isProbablyNew: true };
    expect((await handleCommand(contended(4), ids, context)).added).toHaveLength(1);
    expect((await handleCommand(contended(5), ids, guessing)).added).toHaveLength(1);
    await expect(handleCommand(contended(6), ids, guessing)).rejects.toBeInstanceOf(LogUnavailable);
  });

  it('on a probably new stream that would change nothing is made again on what the stream has', async () => {
    const log = Object.assign(contended(0), {
      read: () => Promise.resolve([{ id: 'e', event: { type: 'handle.claimed' }, revision: 4n }]),
    });
    const appended: Append[] = [];
    const append = log.append.bind(log);
    log.append = (each) => (appended.push(each), append(each));
    const decide = (_state: undefined, past: readonly unknown[]) =>
      past.length === 0 ? [] : context.decide();
    await handleCommand(log, ids, { ...context, decide, isProbablyNew: true });
    expect(appended).toMatchObject([{ expected: 4n }]);
  });

  it('is found in the log, though its leader was lost in two attempts', async () => {
    const sent: Append[] = [];
    let reads = 0;
    const log = {
      leadership: () => Promise.resolve({ holds: true }),
      prove: () => Promise.resolve(undefined),
      ensureWitnessed: () => Promise.resolve(),
      read: () => {
        const [event] = (reads += 1) < 3 ? [] : (sent[0]?.events ?? []);
        return Promise.resolve(event ? [{ ...event, revision: 0n, position: 7n }] : []);
      },
      append: (append: Append) => {
        sent.push(append);
        return Promise.reject(new LeaderChanged('x'));
      },
    } as unknown as EventLog;
    let uuid = 0;
    const { added } = await handleCommand(log, { ...ids, uuid: () => String((uuid += 1)) }, context);
    expect([sent.length, added]).toMatchObject([2, [{ id: '1', position: 7n }]]);
  });

  it('fails as retryable when another writer is always first', async () => {
    await expect(handleCommand(contended(9), ids, context)).rejects.toBeInstanceOf(LogUnavailable);
  });
});
