import type { Post } from '../copy.ts';
import { Fault } from '../fault.ts';
import { markup, newIntent } from '../markup.ts';
import type { Markup } from '../markup.ts';
import { goTo } from '../visit.ts';
import type { Member, Routes } from '../visit.ts';
import { authorsOf } from './home.ts';
import { empty, older } from './layout.ts';
import { composer, postCard, postList } from './post.ts';

const read = ({ ask }: Member, id: string): Promise<Post> =>
  ask((api) => api.GET('/api/posts/{id}', { params: { path: { id } } })).then(({ post }) => post);

async function thread(member: Member) {
  const { id } = member.visit;
  const post = await read(member, id);
  const [parent, { data, response }] = await Promise.all([
    post.parentId !== undefined && !post.parentUnavailable ? readParent(member, post.parentId) : undefined,
    member.answerOf((api) =>
      api.GET('/api/posts/{id}/replies', { params: { path: { id }, query: member.page() } }),
    ),
  ]);
  const next = /<([^>]*)>; rel="next"/.exec(response.headers.get('link') ?? '')?.[1];
  const cursor =
    next === undefined ? undefined : (URL.parse(next, 'http://x')?.searchParams.get('cursor') ?? undefined);
  const all = [...(parent ? [parent] : []), post, ...data.posts];
  return member.show(
    'Conversation',
    authorsOf(all),
    (reader) => markup`${parent && markup`<div class="above">${postCard(parent, reader)}</div>`}
${postCard(post, reader, { isMain: true })}${composer({ parentId: id })}
${postList(data.posts, reader, `parent ${id}`, empty('reply', 'No replies yet', markup`Yours can be the first.`))}${older(cursor, 'More replies')}`,
  );
}

/** It may have gone since the post was read. */
const readParent = (member: Member, id: string): Promise<Post | undefined> =>
  read(member, id).catch((fault: unknown) => {
    if (fault instanceof Fault && fault.status === 404) return undefined;
    throw fault;
  });

async function create({ ask, intentId, field }: Member) {
  const [text, parentId] = [field('text'), field('parentId')];
  const reply = parentId === '' ? {} : { parentId };
  await ask((api) => api.POST('/api/posts', { body: { intentId, text, audience: 'public', ...reply } }));
  return goTo(parentId === '' ? '/' : `/posts/${parentId}`);
}

/** `text`: of the person, if it differs from the post's because that has changed meanwhile. */
function editor({ id, revision, text: current }: Post, text = current): Markup {
  return markup`${
    text !== current &&
    markup`<section class="notice" role="alert"><h2>This post has changed meanwhile</h2>
<p>It was edited in another application or tab. It says now:</p><blockquote class="kept" dir="auto">${current}</blockquote>
<p>Below is your text. Save it in place of that one, or leave it.</p></section>`
  }
<form class="composer" method="post" action="/posts/${id}/edit">${newIntent({ revision })}<label class="unseen" for="text">Text</label>
<textarea id="text" name="text" rows="6" required dir="auto" autofocus>${text}</textarea>
<div class="bar"><a class="button" href="/posts/${id}">Leave it as it is</a><button class="main">Save</button></div></form>`;
}

async function edit(member: Member) {
  const { id } = member.visit;
  const post = await read(member, id);
  return member.show(
    'Edit',
    () => [],
    () => editor(post),
  );
}

async function saveEdit(member: Member) {
  const {
    visit: { id },
    intentId,
    field,
    ask,
  } = member;
  const body = { intentId, revision: Number(field('revision')), text: field('text') };
  try {
    await ask((api) => api.PATCH('/api/posts/{id}', { params: { path: { id } }, body }));
    return goTo(`/posts/${id}`);
  } catch (fault) {
    if (!(fault instanceof Fault) || fault.code !== 'revision_conflict') throw fault;
    const post = await read(member, id);
    return {
      ...(await member.show(
        'Edit',
        () => [],
        () => editor(post, body.text),
      )),
      status: 409,
    };
  }
}

async function askToDelete(member: Member) {
  const post = await read(member, member.visit.id);
  return member.show(
    'Delete this post?',
    authorsOf([post]),
    (reader) => markup`<div class="card">${postCard(post, { ...reader, me: undefined })}
<p>It disappears for everybody, in every application, and cannot be brought back. Replies to it stay.</p>
<form class="bar" method="post">${newIntent({ revision: post.revision })}<a class="button" href="/posts/${post.id}">Keep it</a>
<button class="danger">Delete it</button></form></div>`,
  );
}

async function remove({ ask, visit: { id }, intentId, field }: Member) {
  const query = { intentId, revision: field('revision') };
  await ask((api) => api.DELETE('/api/posts/{id}', { params: { path: { id }, query } }));
  return goTo('/');
}

export const threadRoutes: Routes<Member> = {
  'GET /posts/:id': thread,
  'POST /posts': create,
  'GET /posts/:id/edit': edit,
  'POST /posts/:id/edit': saveEdit,
  'GET /posts/:id/delete': askToDelete,
  'POST /posts/:id/delete': remove,
};
