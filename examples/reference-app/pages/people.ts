import type { Actor, Reader } from '../copy.ts';
import { linked, type Markup, markup, newIntent, outside } from '../markup.ts';
import { type Answer, goTo, type Member, type Routes } from '../visit.ts';
import { authorsOf } from './home.ts';
import { empty, face, finder, handleOf, icon, mini, older } from './layout.ts';
import { postList } from './post.ts';

const hint = empty(
  'search',
  'Whom do you know here?',
  markup`Type the handle of a friend, such as @ada, and follow them.`,
);

async function find(member: Member, typed: string): Promise<Answer> {
  const handle = typed.trim().replace(/^@/, '').toLowerCase();
  if (handle === '') return member.show('Find people', () => markup`${finder()}${hint}`);
  const { actors } = await member.ask((api) => api.GET('/api/actors', { params: { query: { handle } } }));
  if (actors[0]) return goTo(`/people/${actors[0].actorId}`);
  const text = markup`Nobody whom you can see is called @${handle}. Handles are exact: ask your friend for theirs.`;
  const nobody = markup`${finder(handle)}${empty('search', 'Nobody by that handle', text)}`;
  return { ...(await member.show('Find people', () => nobody)), status: 404 };
}

function followForm(actorId: string, { me, view }: Reader, name: string): Markup | undefined {
  if (actorId === me) return undefined;
  const isFollowed = view?.relations.has(`follow ${actorId}`);
  return markup`<form method="post" action="/people/${actorId}/${isFollowed ? 'unfollow' : 'follow'}">${newIntent()}
<button class="${isFollowed ? 'following' : 'main'}">${isFollowed ? 'Following' : 'Follow'}<span class="unseen"> ${name}</span></button></form>`;
}

async function profile(member: Member) {
  const path = { actorId: member.id };
  const [{ actor }, { posts, cursor }] = await Promise.all([
    member.ask((api) => api.GET('/api/actors/{actorId}', { params: { path } })),
    member.ask((api) => api.GET('/api/actors/{actorId}/posts', { params: { path, query: member.page() } })),
  ]);
  const none = empty('edit', 'No posts yet', markup`When there are some, they are here.`);
  const content = (reader: Reader) =>
    markup`${head(actor, reader)}${postList(posts, reader, `author ${member.id}`, none)}${older(cursor)}`;
  return member.show(actor.displayName, content, authorsOf(posts));
}

const joined = new Intl.DateTimeFormat('en-GB', { month: 'long', year: 'numeric', timeZone: 'UTC' });
const counted = (count: number, noun: string) =>
  markup`<b>${count.toLocaleString('en')}</b> ${noun}${count !== 1 && 's'}`;

function head(actor: Actor, reader: Reader): Markup {
  const { actorId: id, followers, following, posts, website, bio, displayName } = actor;
  const menu = markup`<details class="menu"><summary class="button" aria-label="More about this person">${icon('more')}</summary><div>
<a href="/report?actor=${id}">${icon('flag')}Report this person</a><a href="/people/${id}/block">${icon('block')}Block this person</a></div></details>`;
  return markup`<section class="profile" aria-label="Profile"><div class="top">${face(actor, 'large')}
<div class="bar">${id === reader.me ? markup`<a class="button" href="/settings">Edit profile</a>` : markup`${menu}${followForm(id, reader, displayName)}`}</div></div>
<p class="name"><bdi>${displayName}</bdi></p><p class="quiet">${handleOf(actor)}</p>
${bio !== '' && markup`<p class="text" dir="auto">${linked(bio)}</p>`}
<p class="quiet small">${website !== '' && markup`${outside(website)} · `}Here since ${joined.format(actor.createdAt)}</p>
<p class="counts"><a href="/people/${id}/following"><b>${following.toLocaleString('en')}</b> following</a>
<a href="/people/${id}/followers">${counted(followers, 'follower')}</a><span>${counted(posts, 'post')}</span></p></section>`;
}

const listOf = (kind: 'following' | 'followers') => async (member: Member) => {
  const params = { path: { actorId: member.id }, query: member.page() };
  const { actors, cursor } = await member.ask((api) => api.GET(`/api/actors/{actorId}/${kind}`, { params }));
  const none = empty('person', 'Nobody yet', markup`<a href="/people/${member.id}">Back to the profile</a>`);
  const rows = (reader: Reader) =>
    actors.map(
      (actor) => markup`<li>${mini(actor)}${followForm(actor.actorId, reader, actor.displayName)}</li>`,
    );
  const content = (reader: Reader) =>
    markup`<ul class="people">${rows(reader)}</ul>${actors.length === 0 && none}${older(cursor, 'More')}`;
  return member.show(kind === 'following' ? 'Following' : 'Followers', content);
};

/** Follows or likes, or ends that. */
const relate =
  (kind: 'follow' | 'like', isWanted: boolean) =>
  async ({ ask, id, visit, intentId }: Member) => {
    const path = { kind, targetId: id };
    await ask<unknown>((api) =>
      isWanted
        ? api.PUT('/api/relations/{kind}/{targetId}', { params: { path }, body: { intentId } })
        : api.DELETE('/api/relations/{kind}/{targetId}', { params: { path, query: { intentId } } }),
    );
    return goTo(visit.from);
  };

export const peopleRoutes: Routes<Member> = {
  'GET /find': (member) => find(member, member.visit.url.searchParams.get('handle') ?? ''),
  'GET /@:id': (member) => find(member, member.id),
  'GET /people/:id': profile,
  'GET /people/:id/following': listOf('following'),
  'GET /people/:id/followers': listOf('followers'),
  'POST /people/:id/follow': relate('follow', true),
  'POST /people/:id/unfollow': relate('follow', false),
  'POST /posts/:id/like': relate('like', true),
  'POST /posts/:id/unlike': relate('like', false),
};
