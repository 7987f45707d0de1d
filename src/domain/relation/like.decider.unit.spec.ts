import { describe, expect, it } from '@jest/globals';
import { Refusal } from '../refusal.js';
import type { RelationEvent } from './events.js';
import { evolveLike, likePost, unlikePost } from './like.js';
import type { Like } from './like.js';

const act = { actorId: 'ada', postId: 'p1', at: 1_000 };
const relation = (generation = 1) => ({
  kind: 'like' as const,
  actorId: 'ada',
  targetId: 'p1',
  targetActorId: 'bob',
  generation,
});
const liked = (generation = 1): RelationEvent => ({
  type: 'relation.established',
  data: { ...relation(generation), at: 500 },
});
const unliked = (generation = 1): RelationEvent => ({
  type: 'relation.ended',
  data: { ...relation(generation), cause: 'actor', at: 600 },
});
const given = (...events: RelationEvent[]) => events.reduce<Like>(evolveLike, undefined);

describe('liking a post', () => {
  it('records the like, with the author of the post', () => {
    expect(likePost(undefined, act, 'bob')).toEqual([
      { type: 'relation.established', data: { ...relation(), at: 1_000 } },
    ]);
  });

  it('is allowed to the author', () => {
    expect(likePost(undefined, act, 'ada')).toMatchObject([{ data: { targetActorId: 'ada' } }]);
  });

  it('counts how often it was established', () => {
    expect(likePost(given(liked(), unliked()), act, 'bob')).toMatchObject([{ data: { generation: 2 } }]);
  });

  it('changes nothing if the like is active', () => {
    expect(likePost(given(liked()), act, 'bob')).toEqual([]);
  });

  it.each([
    ['no like', undefined],
    ['an active like', given(liked())],
  ])('is refused with %s if the post is unavailable', (_over, like) => {
    expect(likePost(like, act, undefined)).toEqual(
      new Refusal('interaction_unavailable', 'This cannot be followed or liked now.'),
    );
  });
});

describe('unliking a post', () => {
  it('ends the active like', () => {
    expect(unlikePost(given(liked(), unliked(), liked(2)), act)).toEqual([
      { type: 'relation.ended', data: { ...relation(2), cause: 'actor', at: 1_000 } },
    ]);
  });

  it.each([
    ['none ever existed', undefined],
    ['it has ended', given(liked(), unliked())],
  ])('changes nothing where %s', (_where, like) => {
    expect(unlikePost(like, act)).toEqual([]);
  });
});
