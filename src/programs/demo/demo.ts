import { randomBytes, randomUUID } from 'node:crypto';
import type { OperatorClient } from '../../operator/client/operator-client.js';
import type { accountActs } from '../../operator/people/account.acts.js';
import type { applicationActs } from '../../operator/people/application.acts.js';
import { api } from './api.js';
import { signIn } from './sign-in.js';

const SCOPES = ['openid', 'read', 'post:create', 'relation:write'];
/** Callback address of the demo. Nothing needs to listen there: the browser of the demo stops at the redirect. */
const REDIRECT_URI = 'http://localhost:8910/callback';

export interface DemoOptions {
  readonly baseUrl: string;
  readonly operator: OperatorClient;
  /** Hears each request. */
  readonly say: (step: string) => void;
  /** Hears what happened, as a person would tell it. */
  readonly tell: (sentence: string) => void;
}

const NAME = 'Plaza demo';
/** Recorded with the acts of a run, and shown with them to operators. */
export const REASON = 'A run of plaza demo, which shows the API at work.';

interface Posts {
  readonly posts: readonly { readonly text: string }[];
}

interface Created {
  readonly post: { readonly id: string };
}

interface Inbox {
  readonly inbox: readonly { readonly kind: string }[];
  readonly unread: number;
}

/** Runs an application and two people over real HTTP, from registration to their views of each other. */
export async function runDemo({ baseUrl, operator, say, tell }: DemoOptions) {
  say('register an application through the operator API');
  const acts = operator.of<typeof applicationActs | typeof accountActs>();
  const application = await acts.call('POST /operator/applications', {
    name: NAME,
    redirectUris: [REDIRECT_URI],
    scopes: SCOPES,
    reason: REASON,
  });
  tell(`An operator registers the application “${NAME}”.`);
  const newPerson = async (displayName: string) => {
    say(`create an account for ${displayName} through the operator API`);
    const handle = `demo_${randomBytes(4).toString('hex')}`;
    const password = randomBytes(18).toString('base64url');
    const contact = { displayName, email: `${handle}@example.org` };
    const account = { handle, password, ...contact, reason: REASON };
    const { actorId } = await acts.call('POST /operator/accounts', account);
    const grant = { ...application, handle, password, redirectUri: REDIRECT_URI, scope: SCOPES.join(' ') };
    const { access_token: token } = await signIn(baseUrl, { ...grant, say });
    tell(`${displayName}, new here as @${handle}, signs in and allows “${NAME}” to read, post and follow.`);
    return { actorId, call: api(baseUrl, token, (step) => say(`as ${displayName}: ${step}`)) };
  };
  const ana = await newPerson('Ana');
  const session = await ana.call('GET', '/api/session');
  const hello = newPost('Hello from the demo');
  const post = await ana.call<Created>('POST', '/api/posts', hello);
  const { id } = post.post;
  tell(`Ana posts: “${hello.text}”.`);

  const ben = await newPerson('Ben');
  const follow = await ben.call('PUT', `/api/relations/follow/${ana.actorId}`, { intentId: randomUUID() });
  tell('Ben follows Ana.');
  const timeline = await ben.call<Posts>('GET', '/api/timeline');
  tell(`Ben opens the timeline and finds: ${quoted(timeline)}.`);
  const body = { ...newPost('And a reply to it'), parentId: id };
  const reply = await ben.call('POST', '/api/posts', body);
  tell(`Ben replies: “${body.text}”.`);

  const inbox = await ana.call<Inbox>('GET', '/api/inbox');
  tell(`Ana's inbox has ${inbox.unread} unread entries: ${inbox.inbox.map(({ kind }) => kind).join(', ')}.`);
  const replies = await ana.call<Posts>('GET', `/api/posts/${id}/replies`);
  tell(`Ana opens the thread and reads: ${quoted(replies)}.`);
  const reconcile = await ana.call('GET', '/api/reconcile');
  const { clientId } = application;
  return {
    clientId,
    actorId: ana.actorId,
    session,
    post,
    follow,
    timeline,
    reply,
    inbox,
    replies,
    reconcile,
  };
}

const quoted = ({ posts }: Posts): string => posts.map(({ text }) => `“${text}”`).join(', ');

const newPost = (text: string) => ({ intentId: randomUUID(), text, audience: 'public' });
