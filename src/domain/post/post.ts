import type { LifecycleState } from '../lifecycle.js';
import { Refusal } from '../refusal.js';
import type { Decision } from '../refusal.js';
import type { PostCreated, PostDeleted, PostEdited, PostEvent } from './events.js';
import { postText } from './text.js';

/** A post as its stream tells it. `revision` counts its versions from 1. */
export type Post = AbsentPost | WrittenPost;

/** Its restriction may stand in a recovered log that has lost the post itself: then it is restricted when it comes again. */
export interface AbsentPost extends LifecycleState {
  readonly status: 'absent';
  readonly isRestricted: boolean;
}

/** `restricted`: an operator keeps it from everybody, its author too, who may only delete it. */
export interface WrittenPost extends LifecycleState {
  readonly status: 'published' | 'restricted' | 'deleted';
  readonly id: string;
  readonly authorActorId: string;
  /** The post that its thread started with: itself, unless it is a reply. */
  readonly rootId: string;
  readonly text: string;
  readonly revision: number;
}

export const noPost: Post = { status: 'absent', lifecycle: 0, isRestricted: false };

export function evolvePost(post: Post, event: PostEvent): Post {
  switch (event.type) {
    case 'post.created':
      if (post.status === 'deleted') return post;
      return {
        status: post.status === 'absent' && post.isRestricted ? 'restricted' : 'published',
        lifecycle: post.lifecycle + 1,
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
      if (post.status === 'deleted') return post;
      return post.status === 'absent'
        ? tombstone(post, event.data)
        : { ...turned(post), status: 'deleted', revision: post.revision + 1 };
    case 'post.restricted':
      if (post.status === 'absent') return { ...turned(post), isRestricted: true };
      return post.status === 'published' ? { ...turned(post), status: 'restricted' } : post;
    case 'post.unrestricted':
      if (post.status === 'absent') return { ...turned(post), isRestricted: false };
      return post.status === 'restricted' ? { ...turned(post), status: 'published' } : post;
  }
}

/** A recovered log may have lost the post and hold its deletion: it is as gone as if it had been there. */
const tombstone = (post: AbsentPost, { postId, authorActorId }: PostDeleted['data']): WrittenPost => ({
  status: 'deleted',
  lifecycle: post.lifecycle + 1,
  id: postId,
  authorActorId,
  rootId: postId,
  text: '',
  revision: 1,
});

const turned = <Turning extends Post>(post: Turning): Turning => ({
  ...post,
  lifecycle: post.lifecycle + 1,
});

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

/** Who changes a post, and from which of its revisions: no change is made over one that its author has not seen. */
export interface PostChange {
  readonly actorId: string;
  readonly revision: number;
  readonly at: number;
}

export interface PostEdit extends PostChange {
  readonly appId: string;
  readonly text: string;
  /** Actors whose handles the text names. */
  readonly mentions: readonly string[];
}

/** `isVisible`: whether whoever edits may see what the author publishes. Writing the text that is there changes nothing. */
export function editPost(post: Post, edit: PostEdit, isVisible: boolean): Decision<PostEdited> {
  const text = postText(edit.text);
  if (text instanceof Refusal) return text;
  if (post.status === 'restricted' && post.authorActorId === edit.actorId)
    return new Refusal('post_unavailable', 'The network has restricted this post; you can only delete it.');
  const own = changeable(post, edit, isVisible);
  if (own instanceof Refusal) return own;
  if (own.text === text) return [];
  const { actorId, appId, mentions, at } = edit;
  const revision = own.revision + 1;
  return [
    {
      type: 'post.edited',
      data: { postId: own.id, authorActorId: actorId, appId, text, mentions, revision, at },
    },
  ];
}

/** `isVisible`: whether whoever deletes may see what the author publishes. Replies stay. */
export function deletePost(post: Post, deletion: PostChange, isVisible: boolean): Decision<PostDeleted> {
  const own = changeable(post, deletion, isVisible);
  if (own instanceof Refusal) return own;
  const { actorId, at } = deletion;
  return [{ type: 'post.deleted', data: { postId: own.id, authorActorId: actorId, at } }];
}

/** Another's post is there only for who may see it: everybody else cannot tell it from one that never was. */
function changeable(
  post: Post,
  { actorId, revision }: PostChange,
  isVisible: boolean,
): WrittenPost | Refusal {
  const isOwn = post.status !== 'absent' && post.authorActorId === actorId;
  if (post.status === 'absent' || (!isOwn && (post.status !== 'published' || !isVisible)))
    return new Refusal('post_unavailable', 'There is no such post for you.');
  if (!isOwn) return new Refusal('not_owner', 'Only its author can change this post.');
  if (post.status === 'deleted') return new Refusal('post_deleted', 'You have deleted this post.');
  if (post.revision !== revision)
    return new Refusal(
      'revision_conflict',
      `The post is at revision ${post.revision}; read it again and decide anew.`,
    );
  return post;
}
