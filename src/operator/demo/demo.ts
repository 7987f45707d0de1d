import { randomBytes, randomUUID } from 'node:crypto';
import { Failure } from '../cli/failure.js';
import { jsonRequest } from '../cli/json-request.js';
import type { OperatorApi } from '../cli/operator-api.js';
import { signIn } from './sign-in.js';

const SCOPES = ['openid', 'read', 'post:create'];
/** Nothing has to listen there: the browser of the demo stops where it is sent away from the network. */
const REDIRECT_URI = 'http://localhost:8910/callback';

export interface DemoOptions {
  readonly baseUrl: string;
  readonly operator: OperatorApi;
  /** Told each step as it is taken. */
  readonly say: (step: string) => void;
}

/** What an application and a person do on the network, from registration to reading replies, over real HTTP. */
export async function runDemo({ baseUrl, operator, say }: DemoOptions) {
  say('register an application and an account through the operator API');
  const application = await operator.registerApplication(
    { name: 'Plaza demo', redirectUris: [REDIRECT_URI], scopes: SCOPES },
    'demo',
  );
  const person = {
    handle: `demo_${randomBytes(4).toString('hex')}`,
    password: randomBytes(18).toString('base64url'),
  };
  const contact = { displayName: 'A demo person', email: `${person.handle}@example.org` };
  const { actorId } = await operator.createAccount({ ...person, ...contact }, 'demo');

  const { access_token: token } = await signIn(baseUrl, {
    ...application,
    ...person,
    redirectUri: REDIRECT_URI,
    scope: SCOPES.join(' '),
    say,
  });
  const call = api(baseUrl, token, say);

  const session = await call('GET', '/api/session');
  const post = await call('POST', '/api/posts', newPost('Hello from the demo'));
  const { id } = (post as { post: { id: string } }).post;
  const reply = await call('POST', '/api/posts', { ...newPost('And a reply to it'), parentId: id });
  const replies = await call('GET', `/api/posts/${id}/replies`);
  const reconcile = await call('GET', '/api/reconcile');
  return { clientId: application.clientId, actorId, session, post, reply, replies, reconcile };
}

const newPost = (text: string) => ({ intentId: randomUUID(), text, audience: 'public' });

function api(baseUrl: string, token: string, say: DemoOptions['say']) {
  return async (method: 'GET' | 'POST', path: string, body?: object): Promise<unknown> => {
    const headers = { authorization: `Bearer ${token}` };
    const response = await fetch(baseUrl + path, jsonRequest(method, headers, body));
    say(`${method} ${path} → ${response.status}`);
    const answer: unknown = await response.json();
    if (response.ok) return answer;
    throw new Failure(`${method} ${path} was refused with ${response.status}: ${JSON.stringify(answer)}`);
  };
}
