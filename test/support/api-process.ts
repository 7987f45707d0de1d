import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { request } from 'node:http';
import type { IncomingMessage } from 'node:http';
import { text } from 'node:stream/consumers';
import { HttpModule } from '../../src/doors/api/http.module.js';
import { documentOf } from '../../src/doors/api/openapi/document.js';
import { freePort } from '../../src/launch/free-port.js';
import { builtProcess } from './command.js';
import { Conformance } from './conformance.js';
import type { TestNetwork } from './network.js';
import { recordRefusal } from './recorded-refusals.js';
import { until } from './until.js';

const MAX_START_MS = 120_000;

/** A further API process on the stores of a network. */
export interface ApiProcess {
  readonly port: number;
  /** Its operator API listens a moment after the process serves. */
  readonly operatorPort: number;
  stop(): Promise<void>;
}

/** Starts it on a free port, and waits until it serves. */
export async function startApiProcess(
  network: Pick<TestNetwork, 'baseUrl' | 'env'>,
  settings: NodeJS.ProcessEnv = {},
): Promise<ApiProcess> {
  const [port, operatorPort] = [await freePort(), await freePort()];
  const ports = { PORT: String(port), OPERATOR_PORT: String(operatorPort) };
  const child = spawn(process.execPath, [builtProcess('api')], {
    env: { ...network.env, ROLE: 'api', LOG_LEVEL: 'error', ...ports, ...settings },
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  const serves = (): Promise<boolean> =>
    requestAt(network, port, 'GET', '/livez').then(
      ({ status }) => status === 200,
      () => false,
    );
  await until(serves, MAX_START_MS);
  return {
    port,
    operatorPort,
    async stop() {
      if (child.exitCode !== null) return;
      child.kill('SIGTERM');
      await once(child, 'exit');
    },
  };
}

/** Settings of a process whose clock is ahead by so much, or behind if it is negative. */
export const clockAheadBy = (milliseconds: number): NodeJS.ProcessEnv => ({
  NODE_OPTIONS: `--import ${new URL('shifted-clock.mjs', import.meta.url).href}`,
  CLOCK_SHIFT_MS: String(milliseconds),
});

export interface ProcessAnswer {
  readonly status: number;
  readonly headers: NodeJS.Dict<string | string[]>;
  // oxlint-disable-next-line typescript/no-explicit-any -- a test says what it expects of a body
  readonly body: any;
}

export interface ProcessRequest {
  readonly by?: { readonly token: string } | undefined;
  readonly body?: object | undefined;
  readonly headers?: Readonly<Record<string, string>>;
}

const conformance = new Conformance(documentOf(HttpModule, 'https://network.example'));

/**
 * Sends a request to one process, with the network's own Host as a proxy does, and checks the answer against the OpenAPI
 * document.
 */
export async function requestAt(
  network: Pick<TestNetwork, 'baseUrl'>,
  port: number,
  method: string,
  path: string,
  { by, body, headers }: ProcessRequest = {},
): Promise<ProcessAnswer> {
  const sent = request({
    host: '127.0.0.1',
    port,
    method,
    path,
    headers: {
      host: new URL(network.baseUrl).host,
      ...(by && { authorization: `Bearer ${by.token}` }),
      ...(body && { 'content-type': 'application/json' }),
      ...headers,
    },
  }).end(body && JSON.stringify(body));
  const [response] = await once(sent, 'response');
  const { statusCode: status, headers: responseHeaders } = response as IncomingMessage & {
    statusCode: number;
  };
  const answer = await text(response);
  // A truncated answer fails here, before the check against the document.
  const read: unknown = JSON.parse(answer);
  const header = (name: string) => responseHeaders[name]?.toString();
  conformance.check({ method, path, status, header, body: answer }, Object.keys(responseHeaders));
  recordRefusal(status, read);
  return { status, headers: responseHeaders, body: read };
}
