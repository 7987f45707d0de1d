import { describe, expect, it } from '@jest/globals';
import * as fc from 'fast-check';
import { Refusal } from '../refusal.js';
import type { Decision } from '../refusal.js';
import { block, evolvePair, follow, initialPair, unblock, unfollow } from './pair.js';
import type { Pair, PairEvent } from './pair.js';

const ada = { actorId: 'ada', targetActorId: 'bob', at: 1_000 };
const bob = { actorId: 'bob', targetActorId: 'ada', at: 2_000 };
const herself = { ...ada, targetActorId: 'ada' };

const relation = (generation = 1) => ({
  kind: 'follow' as const,
  actorId: 'ada',
  targetId: 'bob',
  targetActorId: 'bob',
  generation,
});
const followed = (generation = 1): PairEvent => ({
  type: 'relation.established',
  data: { ...relation(generation), at: 500 },
});
const unfollowed = (generation = 1): PairEvent => ({
  type: 'relation.ended',
  data: { ...relation(generation), cause: 'actor', at: 600 },
});
const blocked = ({ actorId, targetActorId } = ada): PairEvent => ({
  type: 'block.established',
  data: { actorId, targetActorId, at: 700 },
});
const unblocked = ({ actorId, targetActorId } = ada): PairEvent => ({
  type: 'block.ended',
  data: { actorId, targetActorId, at: 800 },
});
const given = (...events: PairEvent[]) => events.reduce(evolvePair, initialPair);
const codeOf = (decision: unknown) => (decision instanceof Refusal ? decision.code : decision);

describe('following', () => {
  it('records the follow with generation 1', () => {
    expect(follow(initialPair, ada, true)).toEqual([
      { type: 'relation.established', data: { ...relation(), at: 1_000 } },
    ]);
  });

  it('counts how often it was established', () => {
    const again = follow(given(followed(), unfollowed(), followed(2), unfollowed(2)), ada, true);
    expect(again).toMatchObject([{ data: { generation: 3 } }]);
  });

  it('changes nothing if the follow is active', () => {
    expect(follow(given(followed()), ada, true)).toEqual([]);
  });

  it('is independent in the two directions', () => {
    expect(follow(given(followed()), bob, true)).toMatchObject([
      { data: { actorId: 'bob', targetId: 'ada', targetActorId: 'ada', generation: 1 } },
    ]);
  });

  it('is refused to oneself', () => {
    expect(codeOf(follow(initialPair, herself, true))).toBe('self_relation');
    expect(codeOf(unfollow(initialPair, herself))).toBe('self_relation');
  });

  it.each([
    ['who is not available', initialPair, false],
    ['who is followed but no longer available', given(followed()), false],
    ['whom the actor blocks', given(blocked(ada)), true],
    ['who blocks the actor', given(blocked(bob)), true],
    ['who still blocks the actor after one unblock', given(blocked(ada), blocked(bob), unblocked(ada)), true],
  ])('is refused with the same message for a target %s', (_who, pair, isAvailable) => {
    expect(follow(pair, ada, isAvailable)).toEqual(
      new Refusal('interaction_unavailable', 'This cannot be followed or liked now.'),
    );
  });

  it('is possible again after an unblock', () => {
    const pair = given(followed(), ...(block(given(followed()), bob, true) as PairEvent[]), unblocked(bob));
    expect(pair.follows).toMatchObject({ ada: { active: false } });
    expect(follow(pair, ada, true)).toMatchObject([{ data: { generation: 2 } }]);
  });
});

describe('unfollowing', () => {
  it('ends the active follow', () => {
    expect(unfollow(given(followed(), unfollowed(), followed(2)), ada)).toEqual([
      { type: 'relation.ended', data: { ...relation(2), cause: 'actor', at: 1_000 } },
    ]);
  });

  it.each([
    ['none ever existed', initialPair],
    ['it has ended', given(followed(), unfollowed())],
    ['only the other actor follows', given(...(follow(initialPair, bob, true) as PairEvent[]))],
  ])('changes nothing where %s', (_where, pair) => {
    expect(unfollow(pair, ada)).toEqual([]);
  });
});

describe('unfollowing across a block', () => {
  const follows = given(followed());
  const hidden = (by: typeof ada) => (block(follows, by, true) as PairEvent[]).reduce(evolvePair, follows);

  it.each([
    ['a block by the other actor', bob],
    ['a block by the actor', ada],
  ])('works once, as without the block: %s', (_whose, by) => {
    const taken = unfollow(hidden(by), ada);
    expect(taken).toEqual(unfollow(follows, ada));
    expect(unfollow((taken as PairEvent[]).reduce(evolvePair, hidden(by)), ada)).toEqual([]);
  });
});

describe('blocking', () => {
  it('ends the follows between the two, then records the block', () => {
    const pair = given(followed(), ...(follow(given(followed()), bob, true) as PairEvent[]));
    expect(block(pair, ada, true)).toMatchObject([
      { type: 'relation.ended', data: { actorId: 'ada', targetId: 'bob', cause: 'block', at: 1_000 } },
      { type: 'relation.ended', data: { actorId: 'bob', targetId: 'ada', cause: 'block', at: 1_000 } },
      { type: 'block.established', data: ada },
    ]);
  });

  it('ends nothing if nobody follows', () => {
    const fact = { type: 'block.established', data: ada };
    expect(block(given(followed(), unfollowed()), ada, true)).toEqual([fact]);
    expect(block(given(blocked(bob)), ada, true)).toEqual([fact]);
  });

  it('changes nothing if the block is active, even if its target is gone', () => {
    expect(block(given(blocked()), ada, true)).toEqual([]);
    expect(block(given(blocked()), ada, false)).toEqual([]);
  });

  it('is refused to oneself, and for an unknown target', () => {
    expect(codeOf(block(initialPair, herself, true))).toBe('self_block');
    expect(codeOf(unblock(initialPair, herself))).toBe('self_block');
    expect(codeOf(block(initialPair, ada, false))).toBe('not_found');
  });

  it('is lifted only by the blocking actor', () => {
    expect(unblock(given(blocked(ada)), ada)).toEqual([{ type: 'block.ended', data: ada }]);
    expect(unblock(given(blocked(ada)), bob)).toEqual([]);
    expect(unblock(given(blocked(ada), unblocked(ada)), ada)).toEqual([]);
  });
});

describe('whatever two actors do to each other', () => {
  const acts: Readonly<Record<string, (pair: Pair, act: typeof ada) => Decision<PairEvent>>> = {
    follow: (pair, act) => follow(pair, act, true),
    unfollow,
    block: (pair, act) => block(pair, act, true),
    unblock,
  };
  const history = fc.array(fc.tuple(fc.constantFrom(...Object.keys(acts)), fc.constantFrom(ada, bob)));

  it('no follow is active beside a block, and generations count establishments', () => {
    fc.assert(
      fc.property(history, (steps) => {
        let pair = initialPair;
        const established = { ada: 0, bob: 0 };
        for (const [name, act] of steps) {
          const decision = acts[name]?.(pair, act) ?? [];
          const events = decision instanceof Refusal ? [] : decision;
          for (const event of events) {
            pair = evolvePair(pair, event);
            const { type, data } = event;
            if (type === 'relation.established') established[data.actorId as 'ada' | 'bob'] += 1;
          }
          const follows = Object.values(pair.follows).filter(({ active }) => active);
          expect(pair.blockedBy.length > 0 && follows.length > 0).toBe(false);
          expect(new Set(pair.blockedBy).size).toBe(pair.blockedBy.length);
        }
        expect(pair.follows['ada']?.generation ?? 0).toBe(established.ada);
        expect(pair.follows['bob']?.generation ?? 0).toBe(established.bob);
      }),
      { numRuns: 500 },
    );
  });
});
