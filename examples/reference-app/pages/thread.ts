import type { Post, Reader } from '../copy.ts';
import { Fault } from '../fault.ts';
import { markup, newIntent } from '../markup.ts';
import { type Answer, goTo, type Member, type Routes } from '../visit.ts';
import { authorsOf } from './home.ts';
import { empty, older } from './layout.ts';
import { composer, postCard, postList } from './post.ts';

async function read({ ask }: Member, id: string): Promise<Post> {
  return (await ask((api) => api.GET('/api/posts/{id}', { params: { path: { id } } }))).post;
}

async function thread(member: Member) {
  const { id } = member;
  const post = await read(member, id);
  const params = { path: { id }, query: member.page() };
  let link: string | null = null;
  const [parent, { posts }] = await Promise.all([
    post.parentId !== undefined && !post.parentUnavailable ? readParent(member, post.parentId) : undefined,
    member.ask(async (api) => {
      const result = await api.GET('/api/posts/{id}/replies', { params });
      link = result.response.headers.get('link');
      return result;
    }),
  ]);
  const cursor = /[?&]cursor=([^&>]+)[^>]*>; rel="next"/.exec(link ?? '')?.[1];
  const none = empty('reply', 'No replies yet', markup`Yours can be the first.`);
  const content = (
    reader: Reader,
  ) => markup`${parent && markup`<div class="above">${postCard(parent, reader)}</div>`}
${postCard(post, reader, { isMain: true })}${composer(id)}${postList(posts, reader, `parent ${id}`, none)}${older(cursor, 'More replies')}`;
  return member.show('Conversation', content, authorsOf([...(parent ? [parent] : []), post, ...posts]));
}

/** It may have gone since the post was read. */
const readParent = (member: Member, id: string): Promise<Post | undefined> =>
  read(member, id).catch((fault: unknown) => {
    if (!(fault instanceof Fault) || fault.status !== 404) throw fault;
    return undefined;
  });

async function create({ ask, intentId, field }: Member) {
  const [text, parentId] = [field('text'), field('parentId')];
  const body = { intentId, text, audience: 'public', ...(parentId && { parentId }) } as const;
  await ask((api) => api.POST('/api/posts', { body }));
  return goTo(parentId === '' ? '/' : `/posts/${parentId}`);
}

/** `text`: of the person, if it differs from the post's because that has changed meanwhile. */
async function edit(member: Member, typed?: string): Promise<Answer> {
  const { id, revision, text } = await read(member, member.id);
  const conflict = markup`<section class="notice" role="alert"><h2>This post has changed meanwhile</h2>
<p>It was edited in another application or tab. It says now:</p><blockquote class="kept" dir="auto">${text}</blockquote>
<p>Below is your text. Save it in place of that one, or leave it.</p></section>`;
  return member.show(
    'Edit',
    () => markup`${typed !== undefined && conflict}
<form class="composer" method="post" action="/posts/${id}/edit">${newIntent({ revision })}<label class="unseen" for="text">Text</label>
<textarea id="text" name="text" rows="6" required dir="auto" autofocus>${typed ?? text}</textarea>
<div class="bar"><a class="button" href="/posts/${id}">Leave it as it is</a><button class="main">Save</button></div></form>`,
  );
}

async function saveEdit(member: Member): Promise<Answer> {
  const { id, intentId, field, ask } = member;
  const body = { intentId, revision: Number(field('revision')), text: field('text') };
  try {
    await ask((api) => api.PATCH('/api/posts/{id}', { params: { path: { id } }, body }));
    return goTo(`/posts/${id}`);
  } catch (fault) {
    if (!(fault instanceof Fault) || fault.code !== 'revision_conflict') throw fault;
    return { ...(await edit(member, body.text)), status: 409 };
  }
}

async function askToDelete(member: Member) {
  const post = await read(member, member.id);
  const content = (reader: Reader) => markup`<div class="card">${postCard(post, { ...reader, me: undefined })}
<p>It disappears for everybody, in every application, and cannot be brought back. Replies to it stay.</p>
<form class="bar" method="post">${newIntent({ revision: post.revision })}<a class="button" href="/posts/${post.id}">Keep it</a>
<button class="danger">Delete it</button></form></div>`;
  return member.show('Delete this post?', content, authorsOf([post]));
}

async function remove({ ask, id, intentId, field }: Member) {
  const query = { intentId, revision: field('revision') };
  await ask((api) => api.DELETE('/api/posts/{id}', { params: { path: { id }, query } }));
  return goTo('/');
}

export const threadRoutes: Routes<Member> = {
  'GET /posts/:id': thread,
  'POST /posts': create,
  'GET /posts/:id/edit': (member) => edit(member),
  'POST /posts/:id/edit': saveEdit,
  'GET /posts/:id/delete': askToDelete,
  'POST /posts/:id/delete': remove,
};
