import type { Post, Reader, View } from '../copy.ts';
import { hidden, type Markup, markup } from '../markup.ts';
import { kept, take } from '../store.ts';
import { goTo, type Member, type Routes } from '../visit.ts';
import { empty, older } from './layout.ts';
import { composer, postList } from './post.ts';

/** The authors of posts, and those of the posts they reply to if the view has them. */
export const authorsOf =
  (posts: readonly Post[]) =>
  (view: View): string[] =>
    [...posts, ...posts.flatMap(({ parentId = '' }) => view.posts.get(parentId) ?? [])].map(
      (post) => post.authorActorId,
    );

const hint = markup`Posts of the people you follow come here. <a href="/find">Find somebody by handle</a>, or write the first one.`;
const nobody = empty('home', 'It is quiet here', hint);

async function home(member: Member) {
  const query = member.page();
  const isFirst = query.cursor === undefined;
  const waiting = isFirst && (await unconfirmed(member));
  const { posts, cursor } = await member.ask((api) => api.GET('/api/timeline', { params: { query } }));
  const content = (reader: Reader) => markup`${isFirst && composer()}${waiting}
${postList(posts, reader, isFirst ? 'all' : '', nobody)}${older(cursor)}`;
  return member.show('Home', content, authorsOf(posts));
}

/** A form with a text, before the network has confirmed it. */
export interface Waiting {
  readonly actorId: string;
  /** Where it goes. */
  readonly path: string;
  readonly fields: Readonly<Record<string, string>>;
}

const intentOf = ({ fields }: Waiting) => fields['intentId'] ?? '';

/** Asks the network what became of texts without an answer, and shows those that it does not know. */
async function unconfirmed({ ask, me, visit: { browser } }: Member): Promise<Markup | undefined> {
  const all = (kept('waiting', browser) as Waiting[]).filter(({ actorId }) => actorId === me);
  if (all.length === 0) return undefined;
  const intentIds = all.slice(0, 200).map(intentOf);
  const { intents } = await ask((api) => api.POST('/api/intents/lookup', { body: { intentIds } }));
  const arrived = new Set(intents.flatMap(({ intentId, outcome }) => (outcome === 'kept' ? [intentId] : [])));
  for (const intentId of arrived) take('waiting', intentId, browser);
  return markup`${arrived.size > 0 && markup`<p class="notice" role="status">A text without an answer had arrived after all.</p>`}
${all.filter((waiting) => !arrived.has(intentOf(waiting))).map(card)}`;
}

const card = ({ path, fields }: Waiting): Markup => markup`<section class="notice" aria-label="Not sent yet">
<h2>Not sent yet</h2><blockquote class="kept" dir="auto">${fields['text']}</blockquote>
<div class="bar"><form method="post" action="${path}">${hidden(fields)}<button class="main">Send it</button></form>
<form method="post" action="/waiting/discard">${hidden({ intent: fields['intentId'] ?? '' })}<button>Discard it</button></form></div></section>`;

export const homeRoutes: Routes<Member> = {
  'GET /': home,
  'POST /waiting/discard': ({ visit }) => {
    take('waiting', visit.fields['intent'] ?? '', visit.browser);
    return goTo('/');
  },
};
