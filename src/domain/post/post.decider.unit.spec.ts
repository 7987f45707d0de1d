import { describe, expect, it } from '@jest/globals';
import { Refusal } from '../refusal.js';
import type { PostEvent } from './events.js';
import { createPost, evolvePost, noPost } from './post.js';

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
const deleted = (postId: string): PostEvent => ({
  type: 'post.deleted',
  data: { postId, authorActorId: 'alice', at: 2_000 },
});
const given = (...events: PostEvent[]) => events.reduce(evolvePost, noPost);
const codeOf = (decision: unknown) => (decision instanceof Refusal ? decision.code : decision);

describe('creating a post', () => {
  it('states the fact', () => {
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

  it('refuses a reply to a post that never was', () => {
    expect(codeOf(createPost(draft, noPost))).toBe('parent_unavailable');
  });

  it('refuses a reply to a deleted post', () => {
    expect(codeOf(createPost(draft, given(created('p0'), deleted('p0'))))).toBe('parent_unavailable');
  });

  it('refuses an audience that does not exist', () => {
    expect(codeOf(createPost({ ...draft, audience: 'friends' }, undefined))).toBe('unsupported_audience');
  });

  it('keeps text trimmed and in NFC', () => {
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

describe('a post', () => {
  it('counts its versions', () => {
    expect(given(created('p1'))).toMatchObject({ status: 'published', revision: 1 });
    expect(given(created('p1'), deleted('p1'))).toMatchObject({ status: 'deleted', revision: 2 });
  });
});
