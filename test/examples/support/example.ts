import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { freePort } from '../../../src/launch/free-port.js';
import { environment, runPlaza } from '../../support/command.js';
import type { TestNetwork } from '../../support/network.js';

export const SERVER = fileURLToPath(new URL('../../../examples/minimal-client/server.mjs', import.meta.url));

/** The example, as a process that a person's browser can reach. */
export interface Example {
  readonly origin: string;
  readonly clientId: string;
  /** What it wrote about failures that it did not foresee. */
  complaints(): string;
  stop(): Promise<void>;
}

/** Registers the example with the operator's command line, as its README says, and starts it. */
export async function startExample(network: TestNetwork): Promise<Example> {
  const port = await freePort();
  const origin = `http://localhost:${port}`;
  const scope = 'openid offline_access read post:create';
  const app = ['--name', 'Minimal client', '--redirect-uri', `${origin}/callback`, '--scope', scope];
  const { stdout } = await runPlaza(['app', 'register', ...app, '--json'], network.env);
  const { clientId, clientSecret } = JSON.parse(stdout) as { clientId: string; clientSecret: string };
  const child = spawn(process.execPath, [SERVER], {
    env: environment({
      BASE_URL: network.baseUrl,
      CLIENT_ID: clientId,
      CLIENT_SECRET: clientSecret,
      PORT: String(port),
    }),
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let complaints = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => (complaints += text));
  const ended = once(child, 'exit');
  const listening = once(createInterface(child.stdout), 'line');
  const first = await Promise.race([listening, ended]);
  if (typeof first[0] !== 'string') throw new Error(`the example did not start:\n${complaints}`);
  return {
    origin,
    clientId,
    complaints: () => complaints,
    stop: async () => {
      child.kill('SIGTERM');
      await ended;
    },
  };
}
