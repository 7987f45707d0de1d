/** People: found by handle, their profiles, and the ways to follow, report and block them. */
import type { Actor, Reader } from '../copy.ts';
import { Fault } from '../fault.ts';
import { type Answer, day, linked, type Markup, markup, newIntent } from '../markup.ts';
import { goTo, type Handler, pathWithin, type Routes, type Visit } from '../visit.ts';
import { empty, face, finder, handleOf, icon, mini, older } from './layout.ts';
import { authorsOf, postList } from './posts.ts';

async function find({ ask, show }: Visit, typed: string): Promise<Answer> {
  const handle = typed.trim().replace(/^@/, '').toLowerCase();
  const query = { handle };
  const { actors } =
    handle === '' ? { actors: [] } : await ask((api) => api.GET('/api/actors', { params: { query } }));
  if (actors[0]) return goTo(`/people/${actors[0].actorId}`);
  const title = handle === '' ? 'Whom do you know here?' : `Nobody whom you can see is called @${handle}`;
  const content = markup`${finder(handle)}${empty('search', title, markup`Handles are exact: ask your friend for theirs.`)}`;
  return { ...(await show('Find people', () => content)), status: handle === '' ? 200 : 404 };
}

function followForm(actorId: string, name: string, { me, view }: Reader): Markup | false {
  const isFollowed = view.relations.has(`follow ${actorId}`);
  const [act, label, look] = isFollowed ? ['unfollow', 'Following', ''] : ['follow', 'Follow', 'main'];
  const form = markup`<form method="post" action="/people/${actorId}/${act}" data-stay>${newIntent()}
<button class="${look}" id="follow-${actorId}">${label}<span class="unseen"> ${name}</span></button></form>`;
  return actorId !== me && form;
}

async function profile({ ask, id, page: query, show }: Visit) {
  const params = { path: { actorId: id }, query };
  const { actor } = await ask((api) => api.GET('/api/actors/{actorId}', { params: { path: params.path } }));
  const { posts, cursor } = await ask((api) => api.GET('/api/actors/{actorId}/posts', { params }));
  const none = empty('edit', 'No posts yet', markup`When there are some, they are here.`);
  const content = (reader: Reader) => markup`${head(actor, reader)}${postList(posts, reader, none, cursor)}`;
  return show(actor.displayName, content, authorsOf(posts));
}

function head(actor: Actor, reader: Reader): Markup {
  const { actorId: id, displayName, followers, following, posts, website, bio, createdAt } = actor;
  const more = markup`<a class="button" href="/people/${id}/report" aria-label="Report or block">${icon('flag')}</a>`;
  const other = markup`${more}${followForm(id, displayName, reader)}`;
  const own = markup`<a class="button" href="/settings">Edit profile</a>`;
  return markup`<section class="profile live" aria-label="Profile"><div class="top">${face(actor, 'large')}
<div class="bar">${id === reader.me ? own : other}</div></div>
<p class="name"><bdi>${displayName}</bdi></p><p class="quiet">${handleOf(actor)}</p>
${bio !== '' && markup`<p class="text" dir="auto">${linked(bio)}</p>`}
<p class="quiet small">${website !== '' && markup`${linked(website)} · `}Here since ${day.format(createdAt)}</p>
<p class="counts"><a href="/people/${id}/following"><b>${following.toLocaleString('en')}</b> following</a>
<a href="/people/${id}/followers"><b>${followers.toLocaleString('en')}</b> follower${followers !== 1 && 's'}</a>
<span><b>${posts.toLocaleString('en')}</b> post${posts !== 1 && 's'}</span></p></section>`;
}

const listOf =
  (kind: 'following' | 'followers', title: string): Handler =>
  async ({ ask, id, page: query, show }) => {
    const params = { path: { actorId: id }, query };
    const { actors, cursor } = await ask((api) => api.GET(`/api/actors/{actorId}/${kind}`, { params }));
    const none = empty('person', 'Nobody yet', markup`<a href="/people/${id}">Back to the profile</a>`);
    const content = (reader: Reader) => markup`<ul class="people live">
${actors.map((each) => markup`<li>${mini(each)}${followForm(each.actorId, each.displayName, reader)}</li>`)}</ul>
${actors.length === 0 && none}${older(cursor)}`;
    return show(title, content);
  };

const relate =
  (kind: 'follow' | 'like', isWanted: boolean): Handler =>
  async ({ ask, id: targetId, intentId, request, url }) => {
    const path = { kind, targetId };
    await ask<unknown>((api) =>
      isWanted
        ? api.PUT('/api/relations/{kind}/{targetId}', { params: { path }, body: { intentId } })
        : api.DELETE('/api/relations/{kind}/{targetId}', { params: { path, query: { intentId } } }),
    );
    // The page of a refusal has the address of its form, which is none of a page.
    const from = pathWithin(request.headers.referer);
    return goTo(from === url.pathname ? '/' : from);
  };

const reasons = ['spam', 'harassment', 'illegal', 'impersonation', 'other'] as const;

function choose({ id, url, show }: Visit) {
  const postId = url.searchParams.get('post');
  const choices = reasons.map(
    (reason) => markup`<label class="choice">
<input type="radio" name="reason" value="${reason}" required> ${reason}</label>`,
  );
  const content = ({ people }: Reader) => {
    const person = people.get(id);
    if (!person) throw new Fault(404, 'gone');
    return markup`<form class="card fields" method="post" action="/report">
${newIntent(postId === null ? { actorId: id } : { postId })}<h2>Report ${postId === null ? 'this person' : 'this post'}</h2>
<p>The operators of the network read it. The person does not learn who reported.</p>
<fieldset><legend>What is wrong?</legend>${choices}</fieldset>
<div><label for="text">What should they know? <span class="quiet">(if you like)</span></label><textarea id="text" name="text" rows="3" dir="auto"></textarea></div>
<button class="main">Send the report</button></form>
<form class="card" method="post" action="/people/${id}/block">${newIntent()}<h2>Block <bdi>${person.displayName}</bdi></h2>
<p>You no longer see each other: no posts, profiles, replies or inbox entries, in any application. Follows between you end, and
unblocking does not bring them back. The network does not tell them.</p><button class="danger">Block</button></form>`;
  };
  return show('Report or block', content, () => [id]);
}

const block =
  (isWanted: boolean): Handler =>
  async ({ ask, copy, id, intentId }) => {
    const path = { actorId: id };
    await ask((api) =>
      isWanted
        ? api.PUT('/api/blocks/{actorId}', { params: { path }, body: { intentId } })
        : api.DELETE('/api/blocks/{actorId}', { params: { path, query: { intentId } } }),
    );
    copy().forgetProfiles();
    return goTo(isWanted ? '/' : '/settings');
  };

export const peopleRoutes: Routes = {
  'GET /find': (visit) => find(visit, visit.url.searchParams.get('handle') ?? ''),
  'GET /@:id': (visit) => find(visit, visit.id),
  'GET /people/:id': profile,
  'GET /people/:id/following': listOf('following', 'Following'),
  'GET /people/:id/followers': listOf('followers', 'Followers'),
  'POST /people/:id/follow': relate('follow', true),
  'POST /people/:id/unfollow': relate('follow', false),
  'POST /posts/:id/like': relate('like', true),
  'POST /posts/:id/unlike': relate('like', false),
  'GET /people/:id/report': choose,
  'POST /report': async ({ ask, field, intentId }) => {
    const reason = field('reason') as (typeof reasons)[number];
    const subject = field('postId') === '' ? { actorId: field('actorId') } : { postId: field('postId') };
    const body = { intentId, reason, text: field('text'), ...subject };
    await ask((api) => api.POST('/api/reports', { body }));
    return goTo('/reported');
  },
  'GET /reported': ({ show }) =>
    show('Thank you', () => empty('flag', 'Your report has arrived', markup`The operators look at it.`)),
  'POST /people/:id/block': block(true),
  'POST /people/:id/unblock': block(false),
};
