import type { InboxEntry, Reader } from '../copy.ts';
import { age, Markup, markup, newIntent } from '../markup.ts';
import { goTo, type Member, type Routes } from '../visit.ts';
import { empty, face, icon, older } from './layout.ts';

const says = {
  follow: 'follows you',
  like: 'likes your post',
  reply: 'replied to you',
  mention: 'mentioned you',
};
const icons = { follow: 'person', like: 'heart', reply: 'reply', mention: 'bell' };
const none = empty(
  'bell',
  'Nothing yet',
  markup`You learn here who follows, likes, answers or mentions you.`,
);

async function inbox(member: Member) {
  const params = { query: member.page(50) };
  const answer = await member.ask((api) => api.GET('/api/inbox', { params }));
  const { inbox: entries, unread, cursor } = answer;
  const read = markup`<form class="bar" method="post" action="/inbox/read">${newIntent({ upTo: entries[0]?.createdAt ?? 0 })}
<p class="quiet">${unread} unread</p><button>Mark all as read</button></form>`;
  const content = (reader: Reader) => markup`${unread > 0 && params.query.cursor === undefined && read}
<ul class="entries">${entries.map((entry) => row(entry, reader))}</ul>${entries.length === 0 && none}${older(cursor)}`;
  return member.show('Inbox', content, () => entries.map(({ sourceActorId }) => sourceActorId));
}

function row(
  { kind, sourceActorId, sourceId, createdAt, readAt }: InboxEntry,
  { people, view }: Reader,
): Markup {
  const who = people.get(sourceActorId) ?? { actorId: sourceActorId, displayName: 'Somebody' };
  const excerpt = view?.posts.get(sourceId)?.text;
  const href = kind === 'follow' ? `/people/${sourceActorId}` : `/posts/${sourceId}`;
  return markup`<li${readAt === undefined && new Markup(' class="new"')}><span class="kind ${kind}">${icon(icons[kind])}</span>${face(who)}
<div><p><a class="name" href="/people/${sourceActorId}"><bdi>${who.displayName}</bdi></a> <a class="says" href="${href}">${says[kind]}</a>
<span class="quiet">${age(createdAt)}</span>${readAt === undefined && markup` <span class="unseen">New</span>`}</p>
${excerpt !== undefined && markup`<p class="quiet excerpt" dir="auto">${excerpt}</p>`}</div></li>`;
}

async function markRead({ ask, intentId, field }: Member) {
  await ask((api) => api.POST('/api/inbox/read', { body: { intentId, upTo: Number(field('upTo')) } }));
  return goTo('/inbox');
}

export const inboxRoutes: Routes<Member> = { 'GET /inbox': inbox, 'POST /inbox/read': markRead };
