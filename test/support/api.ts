import { randomBytes, randomUUID } from 'node:crypto';
import { plazaClient } from '../../client/client.ts';
import { readConfig } from '../../src/base/config/config.js';
import { allScopes } from '../../src/domain/grant/scopes.js';
import { operatorClient } from './operator-client.js';
import { signIn as authorize } from '../../src/programs/demo/sign-in.js';
import type { OpenApi } from '../../src/doors/api/openapi/openapi.js';
import { Conformance } from './conformance.js';
import { AcknowledgedWrites } from './acknowledged-writes.js';
import type { TestNetwork } from './network.js';
import { recordRefusal } from './recorded-refusals.js';
import { networksWithoutFaults } from './networks-without-faults.js';
import { until } from './until.js';

export const redirectUri = 'https://pebble.example/callback';
/** Password of every person of these helpers. */
export const password = 'correct horse battery';

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  // A test says what it expects of a body; no type could say it better.
  // oxlint-disable-next-line typescript/no-explicit-any
  readonly body: any;
}

/** OpenAPI documents by base URL, read once. */
const published = new Map<string, Promise<Conformance | undefined>>();

function conformanceOf(baseUrl: string): Promise<Conformance | undefined> {
  const known = published.get(baseUrl) ?? readDocument(baseUrl);
  published.set(baseUrl, known);
  return known;
}

/** Undefined: the network publishes no document under a foreign host name. */
async function readDocument(baseUrl: string): Promise<Conformance | undefined> {
  const answer = await fetch(`${baseUrl}/api/openapi.json`);
  if (answer.status === 403) return undefined;
  return new Conformance((await answer.json()) as OpenApi);
}

async function checkConformance(
  baseUrl: string,
  method: string,
  path: string,
  { status, headers }: Response,
  body: string,
): Promise<void> {
  const conformance = await conformanceOf(baseUrl);
  const header = (name: string) => headers.get(name) ?? undefined;
  conformance?.check({ method, path, status, header, body }, headers.keys());
}

interface RequestOptions {
  readonly body?: unknown;
  readonly headers?: Record<string, string>;
}

/**
 * Sends one request, and checks the answer against the OpenAPI document. A body that is no string is sent as JSON. An
 * anonymous read is repeated until it shows all acknowledged writes.
 */
export function send(
  baseUrl: string,
  method: string,
  path: string,
  options: RequestOptions = {},
): Promise<Answer> {
  const ask = (more?: Readonly<Record<string, string>>) => {
    const headers = { ...more, ...options.headers };
    const askOnce = () => sendOnce(baseUrl, method, path, { ...options, headers });
    // The requested minimum revision may be unreachable on purpose.
    const isRetried = networksWithoutFaults.has(baseUrl) && !('x-network-min-revision' in headers);
    return isRetried ? untilAvailable(askOnce) : askOnce();
  };
  const isAnonymousRead = method === 'GET' && options.headers?.['authorization'] === undefined;
  return isAnonymousRead ? AcknowledgedWrites.of(baseUrl).readUntilShown(undefined, ask) : ask();
}

/** Asks again after each 503, which means a busy machine where nothing is broken. */
export async function untilAvailable<Answered extends { readonly status: number }>(
  ask: () => Promise<Answered>,
): Promise<Answered> {
  const { answer } = await until(async () => {
    const asked = await ask();
    return asked.status !== 503 && { answer: asked };
  });
  return answer;
}

async function sendOnce(
  baseUrl: string,
  method: string,
  path: string,
  { body, headers = {} }: RequestOptions,
): Promise<Answer> {
  const response = await fetch(baseUrl + path, {
    method,
    headers: { ...(body === undefined ? {} : { 'content-type': 'application/json' }), ...headers },
    ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  });
  const text = await response.text();
  await checkConformance(baseUrl, method, path, response, text);
  const read: unknown = text === '' ? undefined : JSON.parse(text);
  recordRefusal(response.status, read);
  return { status: response.status, headers: response.headers, body: read };
}

function conformingClient(baseUrl: string, token: string): ReturnType<typeof plazaClient> {
  const client = plazaClient(baseUrl, () => token);
  client.use({
    async onResponse({ request, response }) {
      const { pathname, search } = new URL(request.url);
      await checkConformance(
        baseUrl,
        request.method,
        pathname + search,
        response,
        await response.clone().text(),
      );
    },
  });
  return client;
}

/** A person who is signed in through an application. */
export interface SignedIn {
  readonly actorId: string;
  readonly appId: string;
  readonly token: string;
  /**
   * Repeats a read while it lacks acknowledged writes of other people. It does not wait for the person's own writes, which
   * the API must show at once, nor for restrictions.
   */
  get(path: string, headers?: Record<string, string>): Promise<Answer>;
  post(path: string, body: unknown, headers?: Record<string, string>): Promise<Answer>;
  put(path: string, body: unknown, headers?: Record<string, string>): Promise<Answer>;
  patch(path: string, body: unknown, headers?: Record<string, string>): Promise<Answer>;
  delete(path: string, headers?: Record<string, string>): Promise<Answer>;
  /** The typed client. Its answers are checked against the document, too. */
  readonly client: ReturnType<typeof plazaClient>;
  /** Creates a post. `fields` override the defaults. */
  say(text: string, fields?: object): Promise<Answer>;
}

export interface Application {
  readonly clientId: string;
  readonly clientSecret: string;
}

type NetworkAccess = Pick<TestNetwork, 'baseUrl' | 'env'>;

export const operatorOf = (network: NetworkAccess) => operatorClient(readConfig(network.env));

export const registerApplication = (network: NetworkAccess, name = 'Pebble'): Promise<Application> =>
  operatorOf(network).post('applications', { name, redirectUris: [redirectUri], scopes: [...allScopes] });

/** Registers a new person, who signs in and consents on the pages. Where these are not the subject, `personWithToken` (people.ts) is cheaper. */
export async function signIn(
  network: NetworkAccess,
  application: Application,
  scope = 'openid read post:create',
): Promise<SignedIn> {
  const handle = `p_${randomBytes(5).toString('hex')}`;
  const { actorId } = await operatorOf(network).post('accounts', {
    handle,
    displayName: `Person ${handle}`,
    email: `${handle}@example.org`,
    password,
  });
  return signInRegistered(network, application, { actorId, handle }, scope);
}

/** Signs a registered person in, for instance to another application. */
export async function signInRegistered(
  network: NetworkAccess,
  application: Application,
  { actorId, handle }: { readonly actorId: string; readonly handle: string },
  scope: string,
): Promise<SignedIn> {
  const { access_token: token } = await authorize(network.baseUrl, {
    ...application,
    redirectUri,
    handle,
    password,
    scope,
  });
  return holderOf(network, application.clientId, actorId, token);
}

/** The person with this token: their requests carry it. */
export function holderOf(network: NetworkAccess, appId: string, actorId: string, token: string): SignedIn {
  const authorization = `Bearer ${token}`;
  const acknowledged = AcknowledgedWrites.of(network.baseUrl);
  const authorized =
    (method: string) =>
    async (path: string, body: unknown, headers = {}) => {
      const answer = await send(network.baseUrl, method, path, {
        body,
        headers: { authorization, ...headers },
      });
      acknowledged.record(actorId, { method, path }, answer.headers);
      return answer;
    };
  const post = authorized('POST');
  return {
    actorId,
    appId,
    token,
    client: conformingClient(network.baseUrl, token),
    get: (path, headers) =>
      acknowledged.readUntilShown(actorId, (more) =>
        authorized('GET')(path, undefined, { ...more, ...headers }),
      ),
    post,
    put: authorized('PUT'),
    patch: authorized('PATCH'),
    delete: (path, headers) => authorized('DELETE')(path, undefined, headers),
    say: (text, fields = {}) =>
      post('/api/posts', { intentId: randomUUID(), text, audience: 'public', ...fields }),
  };
}
