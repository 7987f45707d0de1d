import type { LifecycleState } from '../lifecycle.js';
import { Refusal } from '../refusal.js';
import type { Decision } from '../refusal.js';
import type { PostCreated, PostDeleted, PostEdited, PostEvent } from './events.js';
import { postText } from './text.js';

export type Post = AbsentPost | WrittenPost;

/** A recovered log may lack the post and still hold its restriction, which applies as soon as the post exists again. */
export interface AbsentPost extends LifecycleState {
  readonly status: 'absent';
  readonly isRestricted: boolean;
}

/**
 * `restricted`: hidden by an operator from everyone; the author may only delete it. `rootId`: first post of the thread,
 * itself unless a reply. `revision`: from 1.
 */
export interface WrittenPost extends LifecycleState {
  readonly status: 'published' | 'restricted' | 'deleted';
  readonly id: string;
  readonly authorActorId: string;
  readonly rootId: string;
  readonly text: string;
  readonly revision: number;
}

/** The post that a reply answers, as far as the reply needs it. */
export type Parent = AbsentPost | Pick<WrittenPost, 'status' | 'id' | 'authorActorId' | 'rootId'>;

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
        : { ...withNextLifecycle(post), status: 'deleted', revision: post.revision + 1 };
    case 'post.restricted':
      if (post.status === 'absent') return { ...withNextLifecycle(post), isRestricted: true };
      return post.status === 'deleted' ? post : { ...withNextLifecycle(post), status: 'restricted' };
    case 'post.unrestricted':
      if (post.status === 'absent') return { ...withNextLifecycle(post), isRestricted: false };
      return post.status === 'restricted' ? { ...withNextLifecycle(post), status: 'published' } : post;
  }
}

/** A recovered log may lack the post and still hold its deletion: the post stays deleted. */
const tombstone = (post: AbsentPost, { postId, authorActorId }: PostDeleted['data']): WrittenPost => ({
  status: 'deleted',
  lifecycle: post.lifecycle + 1,
  id: postId,
  authorActorId,
  rootId: postId,
  text: '',
  revision: 1,
});

const withNextLifecycle = <Changed extends Post>(post: Changed): Changed => ({
  ...post,
  lifecycle: post.lifecycle + 1,
});

export interface PostDraft {
  readonly postId: string;
  readonly authorActorId: string;
  readonly appId: string;
  readonly text: string;
  readonly audience: string;
  readonly mentions: readonly string[];
  readonly at: number;
}

export function createPost(draft: PostDraft, parent: Parent | undefined): Decision<PostCreated> {
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

export interface PostChange {
  readonly actorId: string;
  readonly revision: number;
  readonly at: number;
}

export interface PostEdit extends PostChange {
  readonly appId: string;
  readonly text: string;
  readonly mentions: readonly string[];
}

export function editPost(post: Post, edit: PostEdit, isVisible: boolean): Decision<PostEdited> {
  const text = postText(edit.text);
  if (text instanceof Refusal) return text;
  if (post.status === 'restricted' && post.authorActorId === edit.actorId)
    return new Refusal('post_unavailable', 'The network has restricted this post; you can only delete it.');
  const ownPost = changeable(post, edit, isVisible);
  if (ownPost instanceof Refusal) return ownPost;
  if (ownPost.text === text) return [];
  const { actorId, appId, mentions, at } = edit;
  const revision = ownPost.revision + 1;
  return [
    {
      type: 'post.edited',
      data: { postId: ownPost.id, authorActorId: actorId, appId, text, mentions, revision, at },
    },
  ];
}

export function deletePost(post: Post, deletion: PostChange, isVisible: boolean): Decision<PostDeleted> {
  const ownPost = changeable(post, deletion, isVisible);
  if (ownPost instanceof Refusal) return ownPost;
  const { actorId, at } = deletion;
  return [{ type: 'post.deleted', data: { postId: ownPost.id, authorActorId: actorId, at } }];
}

/** Returns the post if the actor may change it. Other actors cannot tell a hidden post from one that never existed. */
function changeable(
  post: Post,
  { actorId, revision }: PostChange,
  isVisible: boolean,
): WrittenPost | Refusal {
  const isOwn = post.status !== 'absent' && post.authorActorId === actorId;
  if (post.status === 'absent' || (!isOwn && (post.status !== 'published' || !isVisible)))
    return new Refusal('post_unavailable', 'This post does not exist or is not available to you.');
  if (!isOwn) return new Refusal('not_owner', 'Only its author can change this post.');
  if (post.status === 'deleted') return new Refusal('post_deleted', 'You have deleted this post.');
  if (post.revision !== revision)
    return new Refusal(
      'revision_conflict',
      `The post is at revision ${post.revision}; read it again and decide again.`,
    );
  return post;
}
