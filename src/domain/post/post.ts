import { Refusal } from '../refusal.js';
import type { Decision } from '../refusal.js';
import type { PostCreated, PostEvent } from './events.js';
import { postText } from './text.js';

/** A post as its stream tells it. `revision` counts its versions from 1. */
export type Post =
  | { readonly status: 'absent' }
  | {
      readonly status: 'published' | 'deleted';
      readonly id: string;
      readonly authorActorId: string;
      /** The post that its thread started with: itself, unless it is a reply. */
      readonly rootId: string;
      readonly text: string;
      readonly revision: number;
    };

export const noPost: Post = { status: 'absent' };

export function evolvePost(post: Post, event: PostEvent): Post {
  switch (event.type) {
    case 'post.created':
      return {
        status: 'published',
        id: event.data.postId,
        authorActorId: event.data.authorActorId,
        rootId: event.data.rootId ?? event.data.postId,
        text: event.data.text,
        revision: 1,
      };
    case 'post.edited':
      return post.status === 'absent'
        ? post
        : { ...post, text: event.data.text, revision: event.data.revision };
    case 'post.deleted':
      return post.status === 'absent' ? post : { ...post, status: 'deleted', revision: post.revision + 1 };
  }
}

export interface PostDraft {
  readonly postId: string;
  readonly authorActorId: string;
  readonly appId: string;
  readonly text: string;
  readonly audience: string;
  /** Actors whose handles the text names. */
  readonly mentions: readonly string[];
  readonly at: number;
}

/** `parent`: of a reply, the post it answers; undefined starts a thread. */
export function createPost(draft: PostDraft, parent: Post | undefined): Decision<PostCreated> {
  if (draft.audience !== 'public')
    return new Refusal('unsupported_audience', 'audience must be "public"; no other audience exists.');
  const text = postText(draft.text);
  if (text instanceof Refusal) return text;
  if (parent && parent.status !== 'published')
    return new Refusal('parent_unavailable', 'The post to reply to is not available.');
  const thread = parent && {
    parentId: parent.id,
    parentAuthorActorId: parent.authorActorId,
    rootId: parent.rootId,
  };
  return [{ type: 'post.created', data: { ...draft, text, audience: 'public', ...thread } }];
}
