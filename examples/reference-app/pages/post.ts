import type { Post, Reader } from '../copy.ts';
import { age, linked, type Markup, markup, newIntent } from '../markup.ts';
import { face, handleOf, icon } from './layout.ts';

const unknown = (actorId: string) => ({ actorId, handle: null, displayName: 'Somebody' });

export function postCard(post: Post, reader: Reader, { isMain = false } = {}): Markup {
  const author = reader.people.get(post.authorActorId) ?? unknown(post.authorActorId);
  return markup`<article class="post${isMain && ' lead'}" id="post-${post.id}" data-author="${post.authorActorId}" data-parent="${post.parentId ?? ''}">
<a class="to-face" href="/people/${author.actorId}" tabindex="-1" aria-hidden="true">${face(author)}</a>
<div class="body">
<header><a class="name" href="/people/${author.actorId}"><bdi>${author.displayName}</bdi></a> <span class="quiet handle">${handleOf(author)}</span>
<a class="quiet when" href="/posts/${post.id}">${age(post.createdAt)}</a>${post.edited && markup`<span class="quiet">· edited</span>`}</header>
${contextOf(post, reader)}
<p class="text" dir="auto">${linked(post.text)}</p>
${isMain && markup`<p class="quiet small">with <bdi>${post.originApp.name}</bdi></p>`}
${reader.me !== undefined && actionsOn(post, reader)}
</div>
</article>`;
}

/** To whom a reply replies, as far as that is known without another request. */
function contextOf({ parentId, parentUnavailable }: Post, { view, people }: Reader): Markup | undefined {
  if (parentId === undefined) return undefined;
  if (parentUnavailable)
    return markup`<p class="context quiet small">${icon('reply')} Reply to a post that you cannot see</p>`;
  const parent = people.get(view?.posts.get(parentId)?.authorActorId ?? '');
  const whom = parent ? markup`<bdi>${parent.displayName}</bdi>` : markup`a post`;
  return markup`<p class="context quiet small">${icon('reply')} Reply to <a href="/posts/${parentId}">${whom}</a></p>`;
}

function actionsOn({ id, authorActorId }: Post, { me, view }: Reader): Markup {
  const isLiked = view?.relations.has(`like ${id}`) ?? false;
  const mine = markup`<a href="/posts/${id}/edit">${icon('edit')}Edit</a><a href="/posts/${id}/delete">${icon('delete')}Delete</a>`;
  const other = markup`<a href="/report?post=${id}">${icon('flag')}Report this post</a>
<a href="/people/${authorActorId}/block">${icon('block')}Block this person</a>`;
  return markup`<footer>
<a class="act" href="/posts/${id}#compose">${icon('reply')}<span>Reply</span></a>
<form method="post" action="/posts/${id}/${isLiked ? 'unlike' : 'like'}" data-swap="#post-${id}">${newIntent()}
<button class="act heart" aria-pressed="${String(isLiked)}">${icon('heart')}<span>Like</span></button></form>
<details class="menu"><summary class="act" aria-label="More about this post">${icon('more')}</summary><div>${authorActorId === me ? mine : other}</div></details>
</footer>`;
}

/** @param live which new posts the script adds: `all`, those of an author or those of a thread */
export const postList = (posts: readonly Post[], reader: Reader, live: string, none: Markup): Markup =>
  markup`<div class="posts" data-live="${live}">${posts.map((post) => postCard(post, reader))}</div>
${posts.length === 0 && none}`;

/** @param parentId of the post to reply to */
export function composer(parentId?: string): Markup {
  const [label, button] = parentId === undefined ? ['What is happening?', 'Post'] : ['Your reply', 'Reply'];
  return markup`<form class="composer" id="compose" method="post" action="/posts" data-draft="${parentId ?? 'new'}">
${newIntent(parentId === undefined ? {} : { parentId })}<label class="unseen" for="text">${label}</label>
<textarea id="text" name="text" rows="3" required placeholder="${label}" dir="auto"></textarea>
<div class="bar"><p class="quiet small" data-count="2000">Everybody can read it.</p><button class="main">${button}</button></div></form>`;
}
