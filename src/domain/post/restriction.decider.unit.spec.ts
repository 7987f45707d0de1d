import { describe, expect, it } from '@jest/globals';
import type { PostEvent } from './events.js';
import { evolvePost, noPost } from './post.js';
import { restrictPost, unrestrictPost } from './restriction.js';

const of = { postId: 'p1', authorActorId: 'alice', at: 2_000 };
const created: PostEvent = {
  type: 'post.created',
  data: { ...of, appId: 'app', text: 'hello', audience: 'public', mentions: [], at: 1_000 },
};
const edited: PostEvent = {
  type: 'post.edited',
  data: { ...of, appId: 'app', text: 'hello again', mentions: [], revision: 2, at: 1_500 },
};
const restricted: PostEvent = { type: 'post.restricted', data: of };
const unrestricted: PostEvent = { type: 'post.unrestricted', data: of };
const deleted: PostEvent = { type: 'post.deleted', data: of };
const given = (...events: PostEvent[]) => events.reduce(evolvePost, noPost);
const act = { at: 2_000 };

describe('a post', () => {
  it('is restricted once, and unrestricted once', () => {
    expect(restrictPost(given(created), act)).toEqual([restricted]);
    expect(restrictPost(given(created, restricted), act)).toEqual([]);
    expect(unrestrictPost(given(created, restricted), act)).toEqual([unrestricted]);
    expect(unrestrictPost(given(created, restricted, unrestricted), act)).toEqual([]);
    expect(unrestrictPost(given(created), act)).toEqual([]);
  });

  it('is unchanged after the restriction is lifted', () => {
    const before = given(created, edited);
    const after = given(created, edited, restricted, unrestricted);
    expect(after).toEqual({ ...before, lifecycle: 3 });
  });

  it('counts lifecycle revisions, without edits', () => {
    const turns = [created, edited, restricted, restricted, unrestricted, deleted, deleted];
    const counts = turns.map((_, index) => given(...turns.slice(0, index + 1)).lifecycle);
    expect(counts).toEqual([1, 1, 2, 3, 4, 5, 5]);
  });

  it('that is restricted gets a second restriction only if that is of its own, in a new lifecycle revision', () => {
    const twice = given(created, restricted, restricted);
    expect(restrictPost(given(created, restricted), { ...act, addsGround: true })).toEqual([restricted]);
    expect(unrestrictPost(twice, { ...act, lifecycle: 2 })).toMatchObject({
      code: 'lifecycle_revision_conflict',
    });
  });

  it('changes only from the expected lifecycle revision', () => {
    expect(restrictPost(given(created), { ...act, lifecycle: 1 })).toEqual([restricted]);
    const conflict = {
      code: 'lifecycle_revision_conflict',
      message: expect.stringContaining('is now 2 (restricted)'),
    };
    expect(restrictPost(given(created, restricted), { ...act, lifecycle: 1 })).toMatchObject(conflict);
    expect(unrestrictPost(given(created, restricted), { ...act, lifecycle: 3 })).toMatchObject(conflict);
  });

  it('that its author deleted is not restricted or unrestricted', () => {
    for (const decide of [restrictPost, unrestrictPost])
      for (const gone of [given(created, deleted), given(created, restricted, deleted)])
        expect(decide(gone, act)).toMatchObject({ code: 'post_deleted' });
  });

  it('that never existed is not found', () => {
    for (const decide of [restrictPost, unrestrictPost])
      expect(decide(noPost, act)).toMatchObject({ code: 'not_found' });
  });

  it('that a recovered log lost stays restricted when it is created again, unless the restriction was lifted', () => {
    expect(given(restricted, created)).toMatchObject({ status: 'restricted', revision: 1, lifecycle: 2 });
    expect(given(restricted, unrestricted, created)).toMatchObject({ status: 'published', lifecycle: 3 });
  });
});
