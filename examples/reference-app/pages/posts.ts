/** Posts as they are shown, the page of each, and what people do with theirs. */
import type { Post, Reader, View } from '../copy.ts';
import { Fault } from '../fault.ts';
import { type Answer, age, linked, type Markup, markup, newIntent } from '../markup.ts';
import { goTo, type Routes, type Visit } from '../visit.ts';
import { empty, face, handleOf, icon, older, personIn, textForm } from './layout.ts';

export const authorsOf =
  (posts: readonly Post[]) =>
  (view: View): string[] => {
    const parents = posts.flatMap(({ parentId = '' }) => view.posts.get(parentId) ?? []);
    return [...posts, ...parents].map((post) => post.authorActorId);
  };

function postCard(post: Post, { me, people, view, mainId }: Reader): Markup {
  const { id, text, authorActorId: by, parentId, parentUnavailable, createdAt, edited, originApp } = post;
  const [author, parent] = [personIn(people, by), view.posts.get(parentId ?? '')];
  const unknown = parentUnavailable ? 'a post that you cannot see' : 'a post';
  const whom = parent ? personIn(people, parent.authorActorId).displayName : unknown;
  const context = markup`<p class="context quiet small">${icon('reply')} Reply to <a href="/posts/${parentId}"><bdi>${whom}</bdi></a></p>`;
  const isMain = id === mainId;
  const isLiked = view.relations.has(`like ${id}`);
  const mine = markup`<a class="act more" href="/posts/${id}/edit" aria-label="Edit or delete">${icon('edit')}</a>`;
  const other = markup`<a class="act more" href="/people/${by}/report?post=${id}" aria-label="Report or block">${icon('flag')}</a>`;
  return markup`<article class="post${isMain && ' lead'}" id="post-${id}">
<a class="to-face" href="/people/${by}" tabindex="-1" aria-hidden="true">${face(author)}</a>
<div class="body">
<header><a class="name" href="/people/${by}"><bdi>${author.displayName}</bdi></a> <span class="quiet handle">${handleOf(author)}</span>
<a class="quiet when" href="/posts/${id}">${age(createdAt)}</a>${edited && markup`<span class="quiet">· edited</span>`}</header>
${parentId !== undefined && parentId !== mainId && context}
<p class="text" dir="auto">${linked(text)}</p>
${isMain && markup`<p class="quiet small">with <bdi>${originApp.name}</bdi></p>`}
<footer>
<a class="act" href="/posts/${id}#text">${icon('reply')}<span>Reply</span></a>
<form method="post" action="/posts/${id}/${isLiked ? 'unlike' : 'like'}" data-stay>${newIntent()}
<button class="act heart" id="like-${id}" aria-pressed="${String(isLiked)}">${icon('heart')}<span>Like</span></button></form>
${by === me ? mine : other}</footer>
</div>
</article>`;
}

/** Posts as a part of a page that the script keeps up to date. */
export const postList = (posts: readonly Post[], reader: Reader, none: Markup, cursor?: string): Markup =>
  markup`<div class="live">${posts.map((post) => postCard(post, reader))}${posts.length === 0 && none}${older(cursor)}</div>`;

/** @param parentId of the post to reply to */
export function composer(me: string, parentId = ''): Markup {
  const [label, button] = parentId === '' ? ['What is happening?', 'Post'] : ['Your reply', 'Reply'];
  return markup`<form class="composer" id="compose" method="post" action="/posts" data-draft="${me} ${parentId}">
${newIntent({ parentId })}<label class="unseen" for="text">${label}</label>
<textarea id="text" name="text" rows="3" required placeholder="${label}" dir="auto"></textarea>
<div class="bar"><p class="quiet small left">Everybody can read it.</p><button class="main">${button}</button></div></form>`;
}

async function thread({ id, ask, page: query, show }: Visit) {
  const path = { id };
  const { post } = await ask((api) => api.GET('/api/posts/{id}', { params: { path } }));
  const { posts, link } = await ask(async (api) => {
    const { data, ...answer } = await api.GET('/api/posts/{id}/replies', { params: { path, query } });
    return { ...answer, ...(data && { data: { ...data, link: answer.response.headers.get('link') } }) };
  });
  const cursor = /[?&]cursor=([^&>]+)[^>]*>; rel="next"/.exec(link ?? '')?.[1];
  const none = empty('reply', 'No replies yet', markup`Yours can be the first.`);
  const content = (reader: Reader) => markup`<div class="live">${postCard(post, reader)}</div>
${composer(reader.me, id)}${postList(posts, reader, none, cursor)}`;
  return show('Conversation', content, authorsOf([post, ...posts]));
}

/** `typed`: the text of the person, if the post has changed meanwhile. */
async function edit({ ask, id, show }: Visit, typed?: string): Promise<Answer> {
  const { post } = await ask((api) => api.GET('/api/posts/{id}', { params: { path: { id } } }));
  const { revision, text } = post;
  const conflict = markup`<section class="notice" role="alert"><h2>This post has changed meanwhile</h2>
<p>It was edited in another application or tab. It says now:</p><blockquote class="kept" dir="auto">${text}</blockquote>
<p>Below is your text. Save it in place of that one, or leave it.</p></section>`;
  const content = markup`${typed !== undefined && conflict}
${textForm(`/posts/${id}/edit`, newIntent({ revision }), typed ?? text, `/posts/${id}`, 'Save')}
<form class="card" method="post" action="/posts/${id}/delete">${newIntent({ revision })}<h2>Delete this post</h2>
<p>It disappears for everybody, in every application, and cannot be brought back. Replies to it stay.</p><button class="danger">Delete it</button></form>`;
  return { ...(await show('Edit', () => content)), status: typed === undefined ? 200 : 409 };
}

async function saveEdit(visit: Visit): Promise<Answer> {
  const { id, intentId, field, ask } = visit;
  const body = { intentId, revision: Number(field('revision')), text: field('text') };
  try {
    await ask((api) => api.PATCH('/api/posts/{id}', { params: { path: { id } }, body }));
    return goTo(`/posts/${id}`);
  } catch (fault) {
    if (fault instanceof Fault && fault.code === 'revision_conflict') return edit(visit, body.text);
    throw fault;
  }
}

export const postRoutes: Routes = {
  'GET /posts/:id': thread,
  'POST /posts': async ({ ask, intentId, field }) => {
    const parentId = field('parentId');
    const post = { text: field('text'), audience: 'public', ...(parentId && { parentId }) } as const;
    await ask((api) => api.POST('/api/posts', { body: { intentId, ...post } }));
    return goTo(`${parentId === '' ? '/' : `/posts/${parentId}`}#settled-${intentId}`);
  },
  'GET /posts/:id/edit': (visit) => edit(visit),
  'POST /posts/:id/edit': saveEdit,
  'POST /posts/:id/delete': async ({ ask, id, intentId, field }) => {
    const query = { intentId, revision: field('revision') };
    await ask((api) => api.DELETE('/api/posts/{id}', { params: { path: { id }, query } }));
    return goTo('/');
  },
};
