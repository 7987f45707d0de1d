import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { freePort } from '../../../src/launch/free-port.js';
import { environment, plaza } from '../../support/command.js';
import type { TestNetwork } from '../../support/network.js';
import { blocksOf } from './document.js';

/** Of the repository, also where another build of it is tested. */
const ROOT = fileURLToPath(new URL('../../..', import.meta.url));
const README = new URL('../../../examples/minimal-client/README.md', import.meta.url);
export const SERVER = fileURLToPath(new URL('../../../examples/minimal-client/server.mjs', import.meta.url));

/** The example, as a process that a person's browser can reach. */
export interface Example {
  readonly origin: string;
  readonly clientId: string;
  /** What it wrote about failures that it did not foresee. */
  complaints(): string;
  stop(): Promise<void>;
}

/** Does what the README says, in the root of the repository; only the port is another, and the ellipses are filled in. */
export async function startExample(network: TestNetwork): Promise<Example> {
  const port = await freePort();
  const origin = `http://localhost:${port}`;
  const [block] = blocksOf(readFileSync(README, 'utf8'));
  const [register = '', ...others] = (block?.text ?? '')
    .replaceAll('npx plaza', `"${process.execPath}" "${plaza}"`)
    .replaceAll('http://localhost:8080', origin)
    .split('\n');
  const registered = await promisify(execFile)('sh', ['-ec', register], {
    cwd: ROOT,
    env: environment(network.env),
  });
  const said = /^client id +(\S+)\nclient secret +(\S+)/.exec(registered.stdout);
  if (!said) throw new Error(`the registration printed neither id nor secret:\n${registered.stdout}`);
  const [, clientId = '', clientSecret = ''] = said;
  const start = others.join('\n').replace('…', clientId).replace('…', clientSecret);
  const child = spawn('sh', ['-ec', start.replace(/^node /m, 'exec node ')], {
    cwd: ROOT,
    env: environment({ BASE_URL: network.baseUrl, PORT: String(port) }),
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
