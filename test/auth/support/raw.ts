import { once } from 'node:events';
import { request } from 'node:http';
import type { ClientRequest, IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { text } from 'node:stream/consumers';
import { AuthModule } from '../../../src/auth/auth.module.js';
import type { ClientCredentials } from '../../../src/commands/application/register-application.js';
import { documentOf } from '../../../src/http/openapi/document.js';
import { Conformance } from '../../support/conformance.js';
import { noteRefusal } from '../../support/refusals-met.js';

/** An answer, read. */
export interface RawAnswer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
  /** What the text says as JSON; undefined where it is none. */
  // oxlint-disable-next-line typescript/no-explicit-any -- a test says what it expects of a body
  readonly body: any;
}

/** A request as it goes over the wire: what `fetch` would put right or in order stays as it is. */
export interface RawRequest {
  readonly method?: string;
  /** With the query, as it is. */
  readonly path: string;
  /** Any of them may be there twice. A `host` takes the place of the network's own. */
  readonly headers?: readonly (readonly [string, string])[];
  readonly body?: string | Buffer;
  /** Of the process that is asked, where that is not the network's own. */
  readonly port?: number;
}

interface Network {
  readonly baseUrl: string;
}

/** The authorization server's part of the published document. */
const conformance = new Conformance(documentOf(AuthModule, 'https://network.example'));

/** Sends it, reads the answer, and holds it against the document. */
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

/** Sends the head, and leaves the body to the caller. */
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
  noteRefusal(status, body);
  return { status, headers: response.headers, text: said, body };
}

function parsed(said: string): unknown {
  try {
    return JSON.parse(said);
  } catch {
    return undefined;
  }
}

export const formType = ['content-type', 'application/x-www-form-urlencoded'] as const;

/** How the application says who it is. */
export function basicOf({ clientId, clientSecret }: ClientCredentials): readonly [string, string] {
  return ['authorization', `Basic ${btoa(`${clientId}:${clientSecret}`)}`];
}

/** The application's request to one of its endpoints (`token`, `introspect`, `revoke`). */
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
    headers: [basicOf(application), formType],
    body: new URLSearchParams(parameters).toString(),
    ...(port === undefined ? {} : { port }),
  });
}
