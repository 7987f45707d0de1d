/** The timeline with the texts that are not sent yet, and the inbox. */
import type { InboxEntry, Reader } from '../copy.ts';
import { age, hidden, type Markup, markup, newIntent } from '../markup.ts';
import { sessionOf } from '../sessions.ts';
import { select, update } from '../store.ts';
import { type Fields, goTo, type Routes, type Visit } from '../visit.ts';
import { empty, face, icon, older, personIn, settle } from './layout.ts';
import { authorsOf, composer, postList } from './posts.ts';
import { welcome } from './welcome.ts';

async function home(visit: Visit) {
  const { ask, show, page: query } = visit;
  const isFirst = query.cursor === undefined;
  const unsent = isFirst && (await unconfirmed(visit));
  const { posts, cursor } = await ask((api) => api.GET('/api/timeline', { params: { query } }));
  const hint = markup`Posts of the people you follow come here. <a href="/find">Find somebody by handle</a>, or write the first one.`;
  const content = (reader: Reader) => markup`${isFirst && composer(reader.me)}${unsent}
${postList(posts, reader, empty('home', 'It is quiet here', hint), cursor)}`;
  return show('Home', content, authorsOf(posts));
}

/** A form with a text that the network has not confirmed, and the path that it goes to. */
export type SentText = Readonly<{ actorId: string; path: string; fields: Fields }>;

/** Asks the network what became of the texts without an answer, and shows those that it does not know. */
async function unconfirmed({ ask, copy, browser }: Visit): Promise<Markup[]> {
  const own = (select('outbox', browser) as SentText[]).filter(({ actorId }) => actorId === copy().actorId);
  const lost = own.filter(({ fields }) => fields['text']);
  const body = { intentIds: lost.map(({ fields }) => fields['intentId'] ?? '') };
  const { intents } =
    lost.length === 0 ? { intents: [] } : await ask((api) => api.POST('/api/intents/lookup', { body }));
  const confirmed = intents.flatMap(({ intentId, outcome }) => (outcome === 'kept' ? intentId : []));
  // The row stays for its day, without the text, since another tab may have a draft of it.
  for (const intentId of confirmed)
    update('outbox', browser, intentId, { actorId: copy().actorId, path: '', fields: { intentId } });
  const settled = ({ fields: { intentId = '', text = '' } }: SentText) =>
    text === '' || confirmed.includes(intentId);
  return own.map((sent) =>
    settled(sent)
      ? settle(sent.fields['intentId'])
      : markup`<section class="notice" aria-label="Not confirmed yet">
<h2>Not confirmed yet</h2><blockquote class="kept" dir="auto">${sent.fields['text']}</blockquote>
<form class="bar" method="post" action="${sent.path}">${hidden(sent.fields)}<button class="main">Send it</button>
<button formaction="/discard">Discard it</button></form></section>`,
  );
}

const kinds = {
  follow: ['person', 'follows you'],
  like: ['heart', 'likes your post'],
  reply: ['reply', 'replied to you'],
  mention: ['bell', 'mentioned you'],
} as const;

async function inbox({ ask, page: query, show }: Visit) {
  const { inbox: entries, unread, cursor } = await ask((api) => api.GET('/api/inbox', { params: { query } }));
  const read = markup`<form class="bar" method="post" action="/inbox/read">${newIntent({ upTo: entries[0]?.createdAt ?? 0 })}
<p class="quiet">${unread} unread</p><button>Mark all as read</button></form>`;
  const content = (reader: Reader) => markup`<div class="live">
${unread > 0 && query.cursor === undefined && read}
<ul class="entries">${entries.map((entry) => row(entry, reader))}</ul>
${entries.length === 0 && empty('bell', 'Nothing yet', markup`You learn here who follows, likes, answers or mentions you.`)}${older(cursor)}</div>`;
  return show('Inbox', content, () => entries.map(({ sourceActorId }) => sourceActorId));
}

function row({ id, kind, sourceActorId, sourceId, createdAt, readAt }: InboxEntry, { people, view }: Reader) {
  const who = personIn(people, sourceActorId);
  const [name, says] = kinds[kind];
  const profile = `/people/${sourceActorId}`;
  return markup`<li class="${readAt === undefined && 'new'}" id="entry-${id}"><span class="kind ${kind}">${icon(name)}</span>${face(who)}
<div><p><a class="name" href="${profile}"><bdi>${who.displayName}</bdi></a>
<a class="says" href="${kind === 'follow' ? profile : `/posts/${sourceId}`}">${says}</a>
<span class="quiet">${age(createdAt)}</span>${readAt === undefined && markup` <span class="unseen">New</span>`}</p>
<p class="quiet excerpt" dir="auto">${view.posts.get(sourceId)?.text}</p></div></li>`;
}

export const homeRoutes: Routes = {
  'GET /': (visit) => (sessionOf(visit.secret) ? home(visit) : welcome(visit)),
  'GET /live': ({ copy, request, response, url }) =>
    copy().join(response, Number(request.headers['last-event-id'] ?? url.searchParams.get('after'))),
  'GET /inbox': inbox,
  // As after any answer, main.ts deletes the row.
  'POST /discard': ({ intentId }) => goTo(`/#settled-${intentId}`),
  'POST /inbox/read': async ({ ask, intentId, field }) => {
    await ask((api) => api.POST('/api/inbox/read', { body: { intentId, upTo: Number(field('upTo')) } }));
    return goTo('/inbox');
  },
};
