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

/** This repository, even if another build is tested. */
const ROOT = fileURLToPath(new URL('../../..', import.meta.url));
const directory = (name: string) => new URL(`../../../examples/${name}/`, import.meta.url);
export const SERVER = fileURLToPath(new URL('../../../examples/minimal-client/server.mjs', import.meta.url));

/** A running example. */
export interface Example {
  readonly origin: string;
  readonly clientId: string;
  /** The first printed line. */
  readonly firstLine: string;
  /** Its error output: unforeseen failures. */
  errorOutput(): string;
  /** Resolves with its output when it has ended by itself. */
  ended(): Promise<string>;
  stop(): Promise<void>;
}

/** `port`: the one in its README. `more`: further arguments of its command. `settings`: further variables. */
interface ExampleOptions {
  readonly name: string;
  readonly port: number;
  readonly more?: string;
  readonly settings?: NodeJS.ProcessEnv;
}

const minimalClient: ExampleOptions = { name: 'minimal-client', port: 8080 };

/** Runs the commands of the example's README from the repository's root, with another port and with the ellipses filled in. */
export async function startExample(
  network: TestNetwork,
  { name, port: documentedPort, more = '', settings }: ExampleOptions = minimalClient,
): Promise<Example> {
  const port = await freePort();
  const origin = `http://localhost:${port}`;
  const [block] = blocksOf(readFileSync(new URL('README.md', directory(name)), 'utf8'));
  const [register = '', ...others] = (block?.text ?? '')
    .replaceAll('npx plaza', `"${process.execPath}" "${plaza}"`)
    .replaceAll(`http://localhost:${documentedPort}`, origin)
    .split('\n');
  const registered = await promisify(execFile)('sh', ['-ec', register], {
    cwd: ROOT,
    env: environment(network.env),
  });
  const credentials = /^client id +(\S+)\nclient secret +(\S+)/.exec(registered.stdout);
  if (!credentials) throw new Error(`the registration printed neither id nor secret:\n${registered.stdout}`);
  const [, clientId = '', clientSecret = ''] = credentials;
  const start = others.join('\n').trimEnd().replace('…', clientId).replace('…', clientSecret);
  const child = spawn('sh', ['-ec', `${start.replace(/^(npx )?node /m, 'exec node ')} ${more}`], {
    cwd: ROOT,
    env: environment({
      BASE_URL: network.baseUrl,
      PORT: String(port),
      REFERENCE_APP_PORT: String(port),
      ...settings,
    }),
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let [printed, errorOutput] = ['', ''];
  child.stdout.setEncoding('utf8').on('data', (text: string) => (printed += text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => (errorOutput += text));
  const ended = once(child, 'close');
  const listening = once(createInterface(child.stdout), 'line');
  const [firstLine] = (await Promise.race([listening, ended])) as [unknown];
  if (typeof firstLine !== 'string') throw new Error(`the example did not start:\n${errorOutput}`);
  return {
    origin,
    clientId,
    firstLine,
    errorOutput: () => errorOutput,
    ended: async () => {
      await ended;
      return printed;
    },
    stop: async () => {
      child.kill('SIGTERM');
      await ended;
    },
  };
}
