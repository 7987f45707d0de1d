import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { freePort } from '../../../src/launch/free-port.js';
import { allScopes } from '../../../src/domain/grant/scopes.js';
import { operatorOf } from '../../support/api.js';
import { environment } from '../../support/command.js';
import type { TestNetwork } from '../../support/network.js';

export const MAIN = fileURLToPath(new URL('../../../examples/reference-app/main.ts', import.meta.url));

/** A running process of the reference application. */
export interface ReferenceApp {
  readonly origin: string;
  readonly clientId: string;
  /** The address of this process: another one than `origin` if it is the second of an application. */
  readonly address: string;
  /** Its settings, which it reads from the file. */
  readonly env: NodeJS.ProcessEnv;
  readonly file: string;
  /** Its error output: unforeseen failures. */
  errorOutput(): string;
  stop(signal?: NodeJS.Signals): Promise<void>;
}

interface Options {
  /** Another process of this application, with the same sessions. */
  readonly first?: ReferenceApp;
  readonly port?: number;
  /** Where a reverse proxy serves it. */
  readonly origin?: string;
  /** The file of its sessions, which it has from before a move. */
  readonly sessions?: string | undefined;
  /** Further variables of its environment. */
  readonly more?: NodeJS.ProcessEnv;
}

export async function startReferenceApp(
  network: Pick<TestNetwork, 'baseUrl' | 'env'>,
  { first, port: wanted, origin, sessions, more = {} }: Options = {},
): Promise<ReferenceApp> {
  const port = wanted ?? (await freePort());
  const address = `http://localhost:${port}`;
  const directory = first ? undefined : mkdtempSync(join(tmpdir(), 'reference-app-'));
  const file = first?.file ?? join(directory ?? '', 'reference-app.env');
  const settings =
    first?.env ??
    (await register(network, origin ?? address, sessions ?? join(dirname(file), 'sessions.sqlite')));
  const lines = Object.entries(settings).map(([name, value]) => `${name}=${value}\n`);
  writeFileSync(file, lines.join(''), { mode: 0o600 });
  const child = spawn(process.execPath, [`--env-file=${file}`, MAIN], {
    env: environment({ ...more, REFERENCE_APP_PORT: String(port) }),
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let errorOutput = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => (errorOutput += text));
  const ended = once(child, 'close');
  const [line] = (await Promise.race([once(createInterface(child.stdout), 'line'), ended])) as [unknown];
  if (typeof line !== 'string') throw new Error(`the application did not start:\n${errorOutput}`);
  return {
    origin: settings['ORIGIN'] ?? '',
    clientId: settings['CLIENT_ID'] ?? '',
    address,
    file,
    env: settings,
    errorOutput: () => errorOutput,
    async stop(signal = 'SIGTERM') {
      child.kill(signal);
      await ended;
      if (directory !== undefined) rmSync(directory, { recursive: true });
    },
  };
}

async function register(
  network: Pick<TestNetwork, 'baseUrl' | 'env'>,
  origin: string,
  sessions: string,
): Promise<NodeJS.ProcessEnv> {
  const { clientId, clientSecret } = await operatorOf(network).post('applications', {
    name: 'Fountain',
    redirectUris: [`${origin}/callback`],
    postLogoutRedirectUris: [`${origin}/`],
    scopes: [...allScopes],
  });
  return {
    BASE_URL: network.baseUrl,
    CLIENT_ID: clientId,
    CLIENT_SECRET: clientSecret,
    ORIGIN: origin,
    SESSIONS: sessions,
  };
}
