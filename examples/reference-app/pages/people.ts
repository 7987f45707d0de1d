import type { Actor } from '../copy.ts';
import { linked, markup, newIntent, outside } from '../markup.ts';
import type { Markup } from '../markup.ts';
import { goTo } from '../visit.ts';
import type { Answer, Member, Routes } from '../visit.ts';
import { authorsOf } from './home.ts';
import { empty, face, finder, handleOf, icon, older } from './layout.ts';
import { postList } from './post.ts';
import type { Reader } from './post.ts';

const nobody = (handle: string) =>
  empty(
    'search',
    'Nobody by that handle',
    markup`Nobody whom you can see is called @${handle}. Handles are exact: ask your friend for theirs.`,
  );

async function byHandle(member: Member, typed: string): Promise<Answer> {
  const handle = typed.trim().replace(/^@/, '').toLowerCase();
  const query = { handle };
  const { actors } = await member.ask((api) => api.GET('/api/actors', { params: { query } }));
  if (actors[0]) return goTo(`/people/${actors[0].actorId}`);
  return {
    ...(await member.show(
      'Find people',
      () => [],
      () => markup`${finder(handle)}${nobody(handle)}`,
    )),
    status: 404,
  };
}

function find(member: Member) {
  const handle = member.visit.url.searchParams.get('handle') ?? '';
  if (handle.trim() !== '') return byHandle(member, handle);
  const hint = empty(
    'search',
    'Whom do you know here?',
    markup`Type the handle of a friend, such as @ada, and follow them.`,
  );
  return member.show(
    'Find people',
    () => [],
    () => markup`${finder()}${hint}`,
  );
}

function followForm(actorId: string, { me, view }: Reader, name: string): Markup | undefined {
  if (actorId === me) return undefined;
  const isFollowed = view?.relations.has(`follow ${actorId}`) ?? false;
  return markup`<form method="post" action="/people/${actorId}/${isFollowed ? 'unfollow' : 'follow'}">${newIntent()}
<button class="${isFollowed ? 'following' : 'main'}">${isFollowed ? 'Following' : 'Follow'}<span class="unseen"> ${name}</span></button></form>`;
}

async function profile(member: Member) {
  const { id } = member.visit;
  const path = { actorId: id };
  const [{ actor }, { posts, cursor }] = await Promise.all([
    member.ask((api) => api.GET('/api/actors/{actorId}', { params: { path } })),
    member.ask((api) => api.GET('/api/actors/{actorId}/posts', { params: { path, query: member.page() } })),
  ]);
  const none = empty('edit', 'No posts yet', markup`When there are some, they are here.`);
  return member.show(
    actor.displayName,
    authorsOf(posts),
    (reader) =>
      markup`${head(actor, reader)}${postList(posts, reader, `author ${id}`, none)}${older(cursor)}`,
  );
}

const count = new Intl.NumberFormat('en');
const joined = new Intl.DateTimeFormat('en-GB', { month: 'long', year: 'numeric', timeZone: 'UTC' });

function head(actor: Actor, reader: Reader): Markup {
  const { actorId: id, followers, following, posts, website, bio, displayName } = actor;
  const menu = markup`<details class="menu"><summary class="button" aria-label="More about this person">${icon('more')}</summary><div>
<a href="/report?actor=${id}">${icon('flag')}Report this person</a><a href="/people/${id}/block">${icon('block')}Block this person</a></div></details>`;
  return markup`<section class="profile" aria-label="Profile"><div class="top">${face(actor, 'large')}
<div class="bar">${id === reader.me ? markup`<a class="button" href="/settings">Edit profile</a>` : markup`${menu}${followForm(id, reader, displayName)}`}</div></div>
<p class="name"><bdi>${displayName}</bdi></p><p class="quiet">${handleOf(actor)}</p>
${bio !== '' && markup`<p class="text" dir="auto">${linked(bio)}</p>`}
<p class="quiet small">${website !== '' && markup`${outside(website)} · `}Here since ${joined.format(actor.createdAt)}</p>
<p class="counts"><a href="/people/${id}/following"><b>${count.format(following)}</b> following</a>
<a href="/people/${id}/followers"><b>${count.format(followers)}</b> ${followers === 1 ? 'follower' : 'followers'}</a><span><b>${count.format(posts)}</b> ${posts === 1 ? 'post' : 'posts'}</span></p></section>`;
}

const listOf = (kind: 'following' | 'followers') => async (member: Member) => {
  const params = { path: { actorId: member.visit.id }, query: member.page() };
  const { actors, cursor } = await member.ask((api) =>
    kind === 'following'
      ? api.GET('/api/actors/{actorId}/following', { params })
      : api.GET('/api/actors/{actorId}/followers', { params }),
  );
  const row = (
    actor: (typeof actors)[number],
    reader: Reader,
  ) => markup`<li><a class="mini" href="/people/${actor.actorId}">${face(actor)}<span>
<b class="name"><bdi>${actor.displayName}</bdi></b><span class="quiet">${handleOf(actor)}</span></span></a>${followForm(actor.actorId, reader, actor.displayName)}</li>`;
  const none = empty(
    'person',
    'Nobody yet',
    markup`<a href="/people/${member.visit.id}">Back to the profile</a>`,
  );
  return member.show(
    kind === 'following' ? 'Following' : 'Followers',
    () => [],
    (reader) =>
      markup`<ul class="people">${actors.map((actor) => row(actor, reader))}</ul>${actors.length === 0 && none}${older(cursor, 'More')}`,
  );
};

/** Follows or likes, or ends that. */
const relation =
  (kind: 'follow' | 'like', isWanted: boolean) =>
  async ({ ask, visit, intentId }: Member) => {
    const path = { kind, targetId: visit.id };
    await ask<unknown>((api) =>
      isWanted
        ? api.PUT('/api/relations/{kind}/{targetId}', { params: { path }, body: { intentId } })
        : api.DELETE('/api/relations/{kind}/{targetId}', { params: { path, query: { intentId } } }),
    );
    return goTo(visit.from);
  };

export const peopleRoutes: Routes<Member> = {
  'GET /find': find,
  'GET /@:id': (member) => byHandle(member, member.visit.id),
  'GET /people/:id': profile,
  'GET /people/:id/following': listOf('following'),
  'GET /people/:id/followers': listOf('followers'),
  'POST /people/:id/follow': relation('follow', true),
  'POST /people/:id/unfollow': relation('follow', false),
  'POST /posts/:id/like': relation('like', true),
  'POST /posts/:id/unlike': relation('like', false),
};
