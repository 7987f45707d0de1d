import { beforeEach, describe, expect, it } from '@jest/globals';
import { block, evolvePair, follow, initialPair, unfollow } from '../../domain/relation/pair.js';
import type { Pair, PairEvent } from '../../domain/relation/pair.js';
import type { Decision } from '../../domain/refusal.js';
import { WrongExpectedRevision } from '../../log/event-log.js';
import type { Append, EventLog } from '../../log/event-log.js';
import type { Recorded } from '../../log/recorded.js';
import { handleIdempotentCommand, MAX_CHANGES } from './handle-idempotent-command.js';
import type { IdempotentCommandContext } from './handle-idempotent-command.js';
import type { Intent } from './intent.js';

const intent: Intent = {
  actorId: 'ada',
  appId: 'app',
  grantId: 'grant',
  intentId: 'i1',
  requestId: 'request',
  addressClass: 'loopback',
};
const ids = { random: () => 'x', uuid: () => 'x' };
const act = { actorId: 'ada', targetActorId: 'bob', at: 1 };
const bobOnAda = { actorId: 'bob', targetActorId: 'ada', at: 1 };
const another = { ...intent, intentId: 'i2' };

const following = (pair: Pair): Decision<PairEvent> => follow(pair, act, true);
const unfollowing = (pair: Pair): Decision<PairEvent> => unfollow(pair, act);

/** A log of one stream. `first`: the work of another writer between the first read and its append. */
function logOf(first: () => Promise<unknown> = () => Promise.resolve()): EventLog {
  const recorded: Recorded[] = [];
  const waiting = [first];
  const log: Pick<EventLog, 'read' | 'append' | 'ensureWitnessed' | 'prove' | 'leadership'> = {
    prove: () => Promise.resolve(undefined),
    ensureWitnessed: () => Promise.resolve(),
    leadership: () => Promise.resolve({ holds: true }),
    read: () => Promise.resolve([...recorded]),
    append: async ({ stream, expected, events, metadata }: Append) => {
      await waiting.pop()?.();
      if (expected !== (recorded.at(-1)?.revision ?? 'no_stream')) throw new WrongExpectedRevision(stream);
      for (const { id, event } of events) {
        const revision = BigInt(recorded.length);
        recorded.push({ id, stream, revision, position: revision * 100n, event, metadata, erased: false });
      }
      const position = recorded.at(-1)?.position ?? 0n;
      return { revision: BigInt(recorded.length - 1), position };
    },
  };
  return log as EventLog;
}

describe('an intent', () => {
  let log: EventLog;
  const execute = (
    by: Intent,
    decide: (pair: Pair) => Decision<PairEvent>,
    more: Partial<IdempotentCommandContext<Pair, PairEvent>> = {},
  ) =>
    handleIdempotentCommand<Pair, PairEvent>(log, ids, {
      stream: 'pair-ada.bob',
      initial: initialPair,
      evolve: evolvePair,
      intent: by,
      payloadHash: 'put',
      decide,
      ...more,
    });

  beforeEach(() => {
    log = logOf();
  });

  it('changes the stream, and returns the position from which reads show it', async () => {
    const { state, ownEvents: own, position } = await execute(intent, following);
    expect(state.follows).toMatchObject({ ada: { active: true, generation: 1 } });
    expect(own).toHaveLength(1);
    expect(position).toBe(own[0]?.position);
  });

  it('returns its first outcome when repeated, even after an undo', async () => {
    const first = await execute(intent, following);
    await execute(another, unfollowing, { payloadHash: 'delete' });
    const { state, newest, ownEvents: own } = await execute(intent, following);
    expect({ state, own }).toEqual({ state: first.state, own: first.ownEvents });
    expect(newest.follows).toMatchObject({ ada: { active: false, generation: 1 } });
    expect(await log.read('pair-ada.bob')).toHaveLength(2);
  });

  it('does not run the rules again when repeated', async () => {
    await execute(intent, following);
    const asked = () => {
      throw new Error('asked');
    };
    await expect(execute(intent, asked)).resolves.toMatchObject({ ownEvents: [{}] });
  });

  it('conflicts with itself if the payload differs', async () => {
    await execute(intent, following);
    const other = execute(intent, unfollowing, { payloadHash: 'delete' });
    await expect(other).rejects.toMatchObject({ code: 'intent_conflict' });
  });

  it('is distinct for each resource, actor and application', async () => {
    await execute(intent, following);
    const filter = ({ type }: PairEvent) => type.startsWith('block.');
    await execute(intent, unfollowing, { payloadHash: 'block', filter });
    await execute({ ...intent, actorId: 'bob' }, following, { payloadHash: 'other' });
    await execute({ ...intent, appId: 'other' }, unfollowing, { payloadHash: 'other' });
    expect(await log.read('pair-ada.bob')).toHaveLength(4);
  });

  it('records nothing where it changes nothing', async () => {
    const { state, ownEvents: own, position } = await execute(intent, unfollowing);
    expect({ state, own, position }).toEqual({ state: initialPair, own: [], position: 0n });
    await expect(execute(intent, following, { payloadHash: 'other' })).resolves.toMatchObject({
      ownEvents: [{}],
    });
  });

  it('returns no position of events that its actor may not see', async () => {
    const isVisible = ({ data }: PairEvent) => data.actorId === 'ada';
    await execute({ ...intent, actorId: 'bob' }, (pair) => block(pair, bobOnAda, true));
    await expect(execute(intent, unfollowing, { isVisible })).resolves.toMatchObject({
      position: 0n,
    });
  });

  describe('of an actor at the change limit of one resource', () => {
    const isLimited = true;

    beforeEach(async () => {
      const event: PairEvent = { type: 'block.ended', data: act };
      const metadata = { ...intent, intentId: 'i0' };
      const events = Array.from({ length: MAX_CHANGES }, () => ({ id: 'x', event }));
      await log.append({ stream: 'pair-ada.bob', expected: 'no_stream', events, metadata });
    });

    it('is refused, unless it undoes a change', async () => {
      const refused = execute(intent, following, { isLimited });
      await expect(refused).rejects.toMatchObject({ code: 'domain_plan_too_large' });
      await expect(execute(intent, following)).resolves.toMatchObject({ ownEvents: [{}] });
    });

    it('is answered if it changes nothing or is repeated', async () => {
      await expect(execute(intent, unfollowing, { isLimited })).resolves.toMatchObject({
        ownEvents: [],
      });
      await execute(intent, following);
      await expect(execute(intent, following, { isLimited })).resolves.toMatchObject({
        ownEvents: [{}],
      });
    });

    it('counts the changes of each actor separately', async () => {
      const others = execute({ ...intent, actorId: 'bob' }, following, { isLimited });
      await expect(others).resolves.toMatchObject({ ownEvents: [{}] });
    });
  });

  it('is executed once for two concurrent requests', async () => {
    log = logOf(() => execute(intent, following));
    const { ownEvents: own } = await execute(intent, following);
    expect(own).toHaveLength(1);
    expect(await log.read('pair-ada.bob')).toHaveLength(1);
  });

  it('conflicts with a concurrent request with another payload', async () => {
    log = logOf(() => execute(intent, following));
    const other = execute(intent, following, { payloadHash: 'other' });
    await expect(other).rejects.toMatchObject({ code: 'intent_conflict' });
  });
});
