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

/** A log of one stream. `first`: what somebody else does between a look and an append. */
function logOf(first: () => Promise<unknown> = () => Promise.resolve()): EventLog {
  const recorded: Recorded[] = [];
  const waiting = [first];
  const log: Pick<EventLog, 'read' | 'append' | 'ensureWitnessed'> = {
    ensureWitnessed: () => Promise.resolve(),
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
  const carryOut = (
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

  it('changes the stream, and names the position from which that is seen', async () => {
    const { state, own, position } = await carryOut(intent, following);
    expect(state.follows).toMatchObject({ ada: { active: true, generation: 1 } });
    expect(own).toHaveLength(1);
    expect(position).toBe(own[0]?.position);
  });

  it('answers its first outcome when it is repeated, also after that was taken back', async () => {
    const first = await carryOut(intent, following);
    await carryOut(another, unfollowing, { payloadHash: 'delete' });
    const { state, newest, own } = await carryOut(intent, following);
    expect({ state, own }).toEqual({ state: first.state, own: first.own });
    expect(newest.follows).toMatchObject({ ada: { active: false, generation: 1 } });
    expect(await log.read('pair-ada.bob')).toHaveLength(2);
  });

  it('does not ask the rules again for what was carried out before', async () => {
    await carryOut(intent, following);
    const asked = () => {
      throw new Error('asked');
    };
    await expect(carryOut(intent, asked)).resolves.toMatchObject({ own: [{}] });
  });

  it('conflicts with itself for another payload', async () => {
    await carryOut(intent, following);
    const other = carryOut(intent, unfollowing, { payloadHash: 'delete' });
    await expect(other).rejects.toMatchObject({ code: 'intent_conflict' });
  });

  it('is another one on another resource of the stream, for another actor and for another application', async () => {
    await carryOut(intent, following);
    const filter = ({ type }: PairEvent) => type.startsWith('block.');
    await carryOut(intent, unfollowing, { payloadHash: 'block', filter });
    await carryOut({ ...intent, actorId: 'bob' }, following, { payloadHash: 'other' });
    await carryOut({ ...intent, appId: 'other' }, unfollowing, { payloadHash: 'other' });
    expect(await log.read('pair-ada.bob')).toHaveLength(4);
  });

  it('leaves nothing behind where it changes nothing', async () => {
    const { state, own, position } = await carryOut(intent, unfollowing);
    expect({ state, own, position }).toEqual({ state: initialPair, own: [], position: 0n });
    await expect(carryOut(intent, following, { payloadHash: 'other' })).resolves.toMatchObject({ own: [{}] });
  });

  it('is told no position of what others did that its actor is not shown', async () => {
    const isVisible = ({ data }: PairEvent) => data.actorId === 'ada';
    await carryOut({ ...intent, actorId: 'bob' }, (pair) => block(pair, bobOnAda, true));
    await expect(carryOut(intent, unfollowing, { isVisible })).resolves.toMatchObject({
      position: 0n,
    });
  });

  describe('of an actor who has done as much as can be done to one thing', () => {
    const isLimited = true;

    beforeEach(async () => {
      const event: PairEvent = { type: 'block.ended', data: act };
      const metadata = { ...intent, intentId: 'i0' };
      const events = Array.from({ length: MAX_CHANGES }, () => ({ id: 'x', event }));
      await log.append({ stream: 'pair-ada.bob', expected: 'no_stream', events, metadata });
    });

    it('is refused, unless it takes something back', async () => {
      const refused = carryOut(intent, following, { isLimited });
      await expect(refused).rejects.toMatchObject({ code: 'domain_plan_too_large' });
      await expect(carryOut(intent, following)).resolves.toMatchObject({ own: [{}] });
    });

    it('is answered where it changes nothing or was carried out before', async () => {
      await expect(carryOut(intent, unfollowing, { isLimited })).resolves.toMatchObject({
        own: [],
      });
      await carryOut(intent, following);
      await expect(carryOut(intent, following, { isLimited })).resolves.toMatchObject({
        own: [{}],
      });
    });

    it('leaves the other one as many', async () => {
      const others = carryOut({ ...intent, actorId: 'bob' }, following, { isLimited });
      await expect(others).resolves.toMatchObject({ own: [{}] });
    });
  });

  it('is carried out once where the same request is first', async () => {
    log = logOf(() => carryOut(intent, following));
    const { own } = await carryOut(intent, following);
    expect(own).toHaveLength(1);
    expect(await log.read('pair-ada.bob')).toHaveLength(1);
  });

  it('conflicts where the same intent with another payload is first', async () => {
    log = logOf(() => carryOut(intent, following));
    const other = carryOut(intent, following, { payloadHash: 'other' });
    await expect(other).rejects.toMatchObject({ code: 'intent_conflict' });
  });
});
