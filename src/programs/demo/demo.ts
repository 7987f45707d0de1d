import { randomBytes, randomUUID } from 'node:crypto';
import { Failure } from '../../base/terminal/failure.js';
import { jsonRequest } from '../../operator/client/json-request.js';
import type { OperatorClient } from '../../operator/client/operator-client.js';
import type { accountActs } from '../../operator/people/account.acts.js';
import type { applicationActs } from '../../operator/people/application.acts.js';
import { signIn } from './sign-in.js';

const SCOPES = ['openid', 'read', 'post:create', 'relation:write'];
/** Callback address of the demo. Nothing needs to listen there: the browser of the demo stops at the redirect. */
const REDIRECT_URI = 'http://localhost:8910/callback';

export interface DemoOptions {
  readonly baseUrl: string;
  readonly operator: OperatorClient;
  readonly say: (step: string) => void;
}

/** Runs an application and two people over real HTTP, from registration to their views of each other. */
export async function runDemo({ baseUrl, operator, say }: DemoOptions) {
  say('register an application through the operator API');
  const acts = operator.of<typeof applicationActs | typeof accountActs>();
  const application = await acts.call('POST /operator/applications', {
    name: 'Plaza demo',
    redirectUris: [REDIRECT_URI],
    scopes: SCOPES,
    reason: 'demo',
  });
  const newPerson = async (displayName: string) => {
    say(`create an account for ${displayName} through the operator API`);
    const handle = `demo_${randomBytes(4).toString('hex')}`;
    const password = randomBytes(18).toString('base64url');
    const contact = { displayName, email: `${handle}@example.org` };
    const account = { handle, password, ...contact, reason: 'demo' };
    const { actorId } = await acts.call('POST /operator/accounts', account);
    const grant = { ...application, handle, password, redirectUri: REDIRECT_URI, scope: SCOPES.join(' ') };
    const { access_token: token } = await signIn(baseUrl, { ...grant, say });
    return { actorId, call: api(baseUrl, token, say, displayName) };
  };
  const ana = await newPerson('Ana');
  const session = await ana.call('GET', '/api/session');
  const post = await ana.call('POST', '/api/posts', newPost('Hello from the demo'));
  const { id } = (post as { post: { id: string } }).post;

  const ben = await newPerson('Ben');
  const follow = await ben.call('PUT', `/api/relations/follow/${ana.actorId}`, { intentId: randomUUID() });
  const timeline = await ben.call('GET', '/api/timeline');
  const reply = await ben.call('POST', '/api/posts', { ...newPost('And a reply to it'), parentId: id });

  const inbox = await ana.call('GET', '/api/inbox');
  const replies = await ana.call('GET', `/api/posts/${id}/replies`);
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

const newPost = (text: string) => ({ intentId: randomUUID(), text, audience: 'public' });

function api(baseUrl: string, token: string, say: DemoOptions['say'], who: string) {
  return async (method: 'GET' | 'POST' | 'PUT', path: string, body?: object): Promise<unknown> => {
    const headers = { authorization: `Bearer ${token}` };
    const response = await fetch(baseUrl + path, jsonRequest(method, headers, body));
    say(`as ${who}: ${method} ${path} → ${response.status}`);
    const answer: unknown = await response.json();
    if (response.ok) return answer;
    throw new Failure(`${method} ${path} was refused with ${response.status}: ${JSON.stringify(answer)}`);
  };
}
