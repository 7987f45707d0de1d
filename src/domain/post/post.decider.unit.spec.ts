import { describe, expect, it } from '@jest/globals';
import { Refusal } from '../refusal.js';
import type { PostEvent } from './events.js';
import { createPost, deletePost, editPost, evolvePost, noPost } from './post.js';

const draft = {
  postId: 'p1',
  authorActorId: 'alice',
  appId: 'app',
  text: 'hello',
  audience: 'public',
  mentions: [],
  at: 1_000,
};
const created = (postId: string, thread?: { parentId: string; rootId: string }): PostEvent => ({
  type: 'post.created',
  data: { ...draft, postId, audience: 'public', ...thread },
});
const edited = (postId: string, text: string, revision: number): PostEvent => ({
  type: 'post.edited',
  data: { postId, authorActorId: 'alice', appId: 'app', text, mentions: [], revision, at: 1_500 },
});
const deleted = (postId: string): PostEvent => ({
  type: 'post.deleted',
  data: { postId, authorActorId: 'alice', at: 2_000 },
});
const of = (postId: string) => ({ postId, authorActorId: 'alice', at: 2_000 });
const restricted = (postId: string): PostEvent => ({ type: 'post.restricted', data: of(postId) });
const unrestricted = (postId: string): PostEvent => ({ type: 'post.unrestricted', data: of(postId) });
const given = (...events: PostEvent[]) => events.reduce(evolvePost, noPost);
const codeOf = (decision: unknown) => (decision instanceof Refusal ? decision.code : decision);

describe('creating a post', () => {
  it('records the creation', () => {
    expect(createPost(draft, undefined)).toEqual([{ type: 'post.created', data: draft }]);
  });

  it('gives a reply its parent, and the parent as the root of a new thread', () => {
    expect(createPost(draft, given(created('p0')))).toEqual([
      {
        type: 'post.created',
        data: { ...draft, parentId: 'p0', parentAuthorActorId: 'alice', rootId: 'p0' },
      },
    ]);
  });

  it('gives a reply to a reply the root of the thread', () => {
    const parent = given(created('p0', { parentId: 'top', rootId: 'top' }));
    expect(createPost(draft, parent)).toEqual([
      {
        type: 'post.created',
        data: { ...draft, parentId: 'p0', parentAuthorActorId: 'alice', rootId: 'top' },
      },
    ]);
  });

  it('refuses a reply to an unknown post', () => {
    expect(codeOf(createPost(draft, noPost))).toBe('parent_unavailable');
  });

  it('refuses a reply to a deleted post', () => {
    expect(codeOf(createPost(draft, given(created('p0'), deleted('p0'))))).toBe('parent_unavailable');
  });

  it('refuses a reply to a restricted post', () => {
    expect(codeOf(createPost(draft, given(created('p0'), restricted('p0'))))).toBe('parent_unavailable');
  });

  it('refuses an audience that does not exist', () => {
    expect(codeOf(createPost({ ...draft, audience: 'friends' }, undefined))).toBe('unsupported_audience');
  });

  it('stores text trimmed and in NFC', () => {
    const text = ' e\u0301\tline\nline ';
    expect(createPost({ ...draft, text }, undefined)).toMatchObject([{ data: { text: 'é\tline\nline' } }]);
  });

  it.each([
    ['empty', ''],
    ['nothing but space', ' \n\t '],
    ['2,001 code points', 'x'.repeat(2_001)],
    ['a null character', 'a\u0000b'],
    ['a carriage return', 'a\r\nb'],
    ['a C1 control', 'a\u0085b'],
    ['a lone high surrogate', 'a\ud83d'],
    ['a lone low surrogate', '\ude00a'],
  ])('refuses text: %s', (_name, text) => {
    expect(codeOf(createPost({ ...draft, text }, undefined))).toBe('invalid_text');
  });

  it('counts code points, not code units', () => {
    expect(createPost({ ...draft, text: '😀'.repeat(2_000) }, undefined)).toHaveLength(1);
  });
});

const change = { actorId: 'alice', revision: 1, at: 3_000 };
const edit = { ...change, appId: 'editor', text: 'better', mentions: ['bob'] };

describe('editing a post', () => {
  it('records the new text and the next revision', () => {
    const { revision: _, actorId, ...data } = edit;
    const stated = { ...data, postId: 'p1', authorActorId: actorId };
    expect(editPost(given(created('p1')), edit, true)).toEqual([
      { type: 'post.edited', data: { ...stated, revision: 2 } },
    ]);
    const again = given(created('p1'), edited('p1', 'good', 2));
    expect(editPost(again, { ...edit, revision: 2 }, true)).toEqual([
      { type: 'post.edited', data: { ...stated, revision: 3 } },
    ]);
  });

  it('changes nothing for the same text', () => {
    expect(editPost(given(created('p1')), { ...edit, text: ' hello\n' }, true)).toEqual([]);
  });

  it('has the text rules of creation', () => {
    expect(editPost(given(created('p1')), { ...edit, text: ' e\u0301 ' }, true)).toMatchObject([
      { data: { text: 'é' } },
    ]);
    for (const text of ['', ' ', 'a\u0000', 'x'.repeat(2_001), '\ud800'])
      expect(codeOf(editPost(given(created('p1')), { ...edit, text }, true))).toBe('invalid_text');
  });
});

describe('a restricted post', () => {
  const kept = given(created('p1'), restricted('p1'));

  it('is not editable at any revision', () => {
    for (const revision of [1, 2])
      expect(codeOf(editPost(kept, { ...edit, revision }, true))).toBe('post_unavailable');
  });

  it('may be deleted by its author, and stays deleted', () => {
    expect(deletePost(kept, change, true)).toEqual([{ ...deleted('p1'), data: { ...of('p1'), at: 3_000 } }]);
    const gone = given(created('p1'), restricted('p1'), deleted('p1'), unrestricted('p1'));
    expect(gone).toMatchObject({ status: 'deleted', revision: 2 });
  });
});

describe('deleting a post', () => {
  it('records the deletion', () => {
    expect(
      deletePost(given(created('p1'), edited('p1', 'good', 2)), { ...change, revision: 2 }, true),
    ).toEqual([{ type: 'post.deleted', data: { postId: 'p1', authorActorId: 'alice', at: 3_000 } }]);
  });
});

describe.each([
  [
    'editing',
    (...[post, by, isVisible]: Parameters<typeof deletePost>) =>
      editPost(post, { ...edit, ...by }, isVisible),
  ],
  ['deleting', deletePost],
])('%s', (_verb, changing) => {
  const [mine, eve] = [given(created('p1')), { ...change, actorId: 'eve' }];

  it('requires the current revision', () => {
    const twice = given(created('p1'), edited('p1', 'good', 2));
    for (const revision of [1, 3])
      expect(codeOf(changing(twice, { ...change, revision }, true))).toBe('revision_conflict');
  });

  it("refuses another's post", () => {
    expect(codeOf(changing(mine, eve, true))).toBe('not_owner');
  });

  it.each([
    ['that does not exist', noPost, change, true],
    ['of an author who is not visible', mine, eve, false],
    ['that its author deleted', given(created('p1'), deleted('p1')), eve, true],
    ['of somebody else that is restricted', given(created('p1'), restricted('p1')), eve, true],
  ] as const)('does not find a post %s', (_which, post, by, isVisible) => {
    expect(codeOf(changing(post, by, isVisible))).toBe('post_unavailable');
  });

  it('refuses a deleted post', () => {
    const gone = given(created('p1'), deleted('p1'));
    for (const revision of [1, 2])
      expect(codeOf(changing(gone, { ...change, revision }, true))).toBe('post_deleted');
  });
});

describe('a post', () => {
  it('counts its revisions', () => {
    expect(given(created('p1'))).toMatchObject({ status: 'published', revision: 1 });
    expect(given(created('p1'), deleted('p1'))).toMatchObject({ status: 'deleted', revision: 2 });
    expect(given(created('p1'), edited('p1', 'good', 2))).toMatchObject({ text: 'good', revision: 2 });
    expect(given(created('p1'), edited('p1', 'good', 2), deleted('p1'))).toMatchObject({ revision: 3 });
  });
});
