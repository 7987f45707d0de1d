import { once } from 'node:events';
import { request } from 'node:http';
import type { ClientRequest, IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { text } from 'node:stream/consumers';
import { AuthModule } from '../../../src/doors/auth/auth.module.js';
import type { ClientCredentials } from '../../../src/commands/application/applications.js';
import { documentOf } from '../../../src/doors/api/openapi/document.js';
import { Conformance } from '../../support/conformance.js';
import { recordRefusal } from '../../support/recorded-refusals.js';

export interface RawAnswer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
  /** The parsed text; undefined: no JSON. */
  // oxlint-disable-next-line typescript/no-explicit-any -- a test says what it expects of a body
  readonly body: any;
}

/** A request exactly as sent: `fetch` would normalize it. */
export interface RawRequest {
  readonly method?: string;
  /** With the query, not encoded again. */
  readonly path: string;
  /** Names may repeat. A `host` replaces the network's own. */
  readonly headers?: readonly (readonly [string, string])[];
  readonly body?: string | Buffer;
  /** Default: the network's own process. */
  readonly port?: number;
}

interface Network {
  readonly baseUrl: string;
}

/** The document of the authorization server's endpoints. */
const conformance = new Conformance(documentOf(AuthModule, 'https://network.example'));

/** Sends it, reads the answer, and checks that against the OpenAPI document. */
export async function send(network: Network, raw: RawRequest): Promise<RawAnswer> {
  const sent = open(network, raw);
  sent.end(raw.body);
  const answer = await answerTo(sent);
  const { status, headers, text: body } = answer;
  const header = (name: string) => headers[name]?.toString();
  conformance.check(
    { method: raw.method ?? 'GET', path: raw.path, status, header, body },
    Object.keys(headers),
  );
  return answer;
}

/** Sends the head. The caller sends the body. */
export function open(
  { baseUrl }: Network,
  { method = 'GET', path, headers = [], body, port }: RawRequest,
): ClientRequest {
  const { host, hostname, port: own } = new URL(baseUrl);
  const ownHost = headers.some(([name]) => name === 'host') ? [] : [['host', host] as const];
  const length = body === undefined ? [] : [['content-length', String(Buffer.byteLength(body))] as const];
  return request({
    host: hostname,
    port: port ?? Number(own),
    method,
    path,
    headers: [...ownHost, ...length, ...headers].flat(),
  });
}

export async function answerTo(sent: ClientRequest): Promise<RawAnswer> {
  const [response] = (await once(sent, 'response')) as [IncomingMessage];
  const said = await text(response);
  const [status, body] = [response.statusCode ?? 0, parsed(said)];
  recordRefusal(status, body);
  return { status, headers: response.headers, text: said, body };
}

function parsed(said: string): unknown {
  try {
    return JSON.parse(said);
  } catch {
    return undefined;
  }
}

export const formContentType = ['content-type', 'application/x-www-form-urlencoded'] as const;

/** HTTP Basic credentials of the application. */
export function basicCredentials({ clientId, clientSecret }: ClientCredentials): readonly [string, string] {
  return ['authorization', `Basic ${btoa(`${clientId}:${clientSecret}`)}`];
}

/** Posts a form to `token`, `introspect` or `revoke` with the application's credentials. */
export function post(
  network: Network,
  endpoint: string,
  application: ClientCredentials,
  parameters: Readonly<Record<string, string>>,
  port?: number,
): Promise<RawAnswer> {
  return send(network, {
    method: 'POST',
    path: `/api/auth/oauth2/${endpoint}`,
    headers: [basicCredentials(application), formContentType],
    body: new URLSearchParams(parameters).toString(),
    ...(port === undefined ? {} : { port }),
  });
}
