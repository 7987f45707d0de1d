/** Follows a person, posts, and shows a timeline through the typed client. See README.md beside it. */
import { randomUUID } from 'node:crypto';
import { parseArgs } from 'node:util';
import { plazaClient } from '../../client/client.ts';
import type { components } from '../../client/client.ts';
import { answered } from './retry.ts';
import { signIn } from './sign-in.ts';

type Post = components['schemas']['Post'];
type Client = ReturnType<typeof plazaClient>;

const SCOPES = ['openid', 'read', 'post:create', 'relation:write'];
/** Small, to demonstrate paging. */
const PAGE = 20;

const { values: asked } = parseArgs({
  options: { follow: { type: 'string' }, post: { type: 'string' }, pages: { type: 'string', default: '3' } },
});
const { BASE_URL = 'http://localhost:3000', CLIENT_ID, CLIENT_SECRET, PORT = '8081' } = process.env;
if (!CLIENT_ID || !CLIENT_SECRET)
  quit('CLIENT_ID and CLIENT_SECRET come from the registration: see README.md');
const pages = Number(asked.pages);
if (!(pages >= 1)) quit('--pages takes a number from 1');

const application = {
  baseUrl: BASE_URL,
  clientId: CLIENT_ID,
  clientSecret: CLIENT_SECRET,
  redirectUri: `http://localhost:${PORT}/callback`,
};
const token = await signIn(application, SCOPES, (address) => console.log(`open ${address}`)).catch(
  (error: Error) => quit(`no sign-in at BASE_URL ${BASE_URL}: ${error.message}`),
);
const client = plazaClient(BASE_URL, () => token);

const session = await answered(() => client.GET('/api/session'));
if (session.appId !== CLIENT_ID) throw new Error('this token is for another application');
console.log(`signed in as ${session.actorId}`);

if (asked.follow !== undefined) await follow(client, asked.follow);
if (asked.post !== undefined) await post(client, asked.post);
for await (const posts of timeline(client, pages)) {
  const names = await namesOfAuthors(client, posts);
  for (const { authorActorId, text } of posts)
    console.log(`${names.get(authorActorId) ?? authorActorId}: ${text}`);
}

function quit(message: string): never {
  console.error(message);
  process.exit(2);
}

/** The intent is created once, before the first try. */
async function follow(client: Client, handle: string): Promise<void> {
  const { actors } = await answered(() => client.GET('/api/actors', { params: { query: { handle } } }));
  const targetId = actors[0]?.actorId ?? quit(`nobody is found by the handle ${handle}`);
  const intentId = randomUUID();
  const { relation } = await answered(() =>
    client.PUT('/api/relations/{kind}/{targetId}', {
      params: { path: { kind: 'follow', targetId } },
      body: { intentId },
    }),
  );
  console.log(`following ${relation.targetActorId}`);
}

async function post(client: Client, text: string): Promise<void> {
  const intentId = randomUUID();
  const { post } = await answered(() =>
    client.POST('/api/posts', { body: { intentId, text, audience: 'public' } }),
  );
  console.log(`posted ${post.id}`);
}

/** Newest first. Even a short or empty page may have a next one: only the last page has no cursor. */
async function* timeline(client: Client, pages: number): AsyncGenerator<readonly Post[]> {
  let cursor: string | undefined;
  for (let page = 0; page < pages; page++) {
    const query = { limit: PAGE, ...(cursor === undefined ? {} : { cursor }) };
    const read = await answered(() => client.GET('/api/timeline', { params: { query } }));
    yield read.posts;
    cursor = read.cursor;
    if (cursor === undefined) return;
  }
}

/** One request for the authors of a page. An author who has just gone is left out. */
async function namesOfAuthors(client: Client, posts: readonly Post[]): Promise<Map<string, string>> {
  if (posts.length === 0) return new Map();
  const ids = [...new Set(posts.map(({ authorActorId }) => authorActorId))].join(',');
  const { actors } = await answered(() => client.GET('/api/actors', { params: { query: { ids } } }));
  return new Map(actors.map(({ actorId, displayName }) => [actorId, displayName]));
}
