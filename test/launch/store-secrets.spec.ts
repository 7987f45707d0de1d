import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Client, escapeLiteral } from 'pg';
import { runPlaza } from '../support/command.js';
import { startEmbeddedEventStore } from '@plaza/event-store/testing';
import type { EmbeddedEventStore } from '@plaza/event-store/testing';
import { startNetwork } from '../support/network.js';
import type { TestNetwork } from '../support/network.js';
import { startOwnPostgres } from '../support/postgres.js';
import type { OwnPostgres } from '../support/postgres.js';
import { until } from '../support/until.js';

describe('a network with EVENTSTORE_TLS', () => {
  let network: TestNetwork;

  beforeAll(async () => {
    network = await startNetwork({ EVENTSTORE_TLS: 'on', LOG_LEVEL: 'debug', DEBUG: 'esdb*' });
  });

  afterAll(() => network?.stop());

  const isReady = async () => (await fetch(`${network.baseUrl}/readyz`)).status === 200;

  it('a network runs on an event store with TLS, and restarts with the same secrets', async () => {
    const certificate = encodeURIComponent(join(network.dataDir, 'eventstore', 'tls.crt'));
    const address = new RegExp(String.raw`^esdb://plaza:[\w-]+@localhost:\d+\?tls=true&tlsCAFile=(.*)$`);
    const url = network.env['EVENTSTORE_URL'] ?? '';
    expect(address.exec(url)?.[1]).toBe(certificate);
    await until(isReady);
    const [, password = ''] = /:([\w-]+)@/.exec(url) ?? [];
    expect(network.output()).not.toContain(password);
    await network.restart();
    expect(network.env['EVENTSTORE_URL']).toContain(`:${password}@`);
    await until(isReady);
  });
});

/** Has characters with a meaning in an address. */
const PASSWORD = "a/b+c=%41:@?#&'ä";

/** Launcher, children and commands on servers that require passwords, which the addresses lack. */
describe('a network whose passwords are in files', () => {
  let dir = '';
  let postgres: OwnPostgres;
  let eventStore: EmbeddedEventStore;
  let network: TestNetwork;
  let env: NodeJS.ProcessEnv;

  beforeAll(async () => {
    dir = mkdtempSync(join(tmpdir(), 'plaza-passwords-'));
    const log = mkdtempSync(join(dir, 'log-'));
    writeFileSync(join(log, 'credentials'), `ann:${PASSWORD}\n`, { mode: 0o600 });
    [postgres, eventStore] = await Promise.all([
      startOwnPostgres(),
      startEmbeddedEventStore({ dir: log, args: ['--tls'] }),
    ]);
    const urls = [
      await postgres.createDatabase(),
      await postgres.createDatabase(),
      await postgres.createDatabase(),
    ];
    await setPassword(urls[0]!);
    const file = join(dir, 'password');
    writeFileSync(file, `${PASSWORD}\n`, { mode: 0o400 });
    const [DATABASE_URL, VAULT_DATABASE_URL, WITNESS_DATABASE_URL] = urls.map(withoutPassword);
    env = {
      EVENTSTORE_URL: eventStore.url.replace(/:[^:@/]+@/, '@'),
      EVENTSTORE_PASSWORD_FILE: file,
      DATABASE_URL,
      DATABASE_PASSWORD_FILE: file,
      VAULT_DATABASE_URL,
      VAULT_DATABASE_PASSWORD_FILE: file,
      WITNESS_DATABASE_URL,
      WITNESS_DATABASE_PASSWORD_FILE: file,
    };
    network = await startNetwork(env);
  });
  afterAll(async () => {
    await network?.stop();
    await Promise.all([postgres?.stop(), eventStore?.stop()]);
    rmSync(dir, { recursive: true });
  });

  const isReady = () => until(async () => (await fetch(`${network.baseUrl}/readyz`)).status === 200);

  it('is ready: API and worker reach each store', async () => {
    await expect(isReady()).resolves.toBe(true);
  });

  it('is backed up, stopped and restored by commands with the same settings', async () => {
    const { DATA_DIR, OPERATOR_PORT, OPERATOR_TOKEN } = network.env;
    const own = { ...env, DATA_DIR, OPERATOR_PORT, OPERATOR_TOKEN };
    const parts = ['--parts', 'authority,vault,witness', '--json'];
    const backup = join(dir, 'backup');
    expect(await runPlaza(['backup', backup, ...parts, '--reason', 'a test'], own)).toMatchObject({
      code: 0,
    });
    await network.halt();
    expect(await runPlaza(['restore', backup, ...parts], own)).toMatchObject({ code: 0 });
    await network.restart();
    await isReady();
  });

  it('never prints a password', () => {
    for (const said of [PASSWORD, encodeURIComponent(PASSWORD)]) expect(network.output()).not.toContain(said);
  });
});

async function setPassword(url: string): Promise<void> {
  const client = new Client(url);
  await client.connect();
  await client.query(`ALTER ROLE CURRENT_USER PASSWORD ${escapeLiteral(PASSWORD)}`);
  await client.end();
}

function withoutPassword(address: string): string {
  const url = new URL(address);
  url.password = '';
  return url.href;
}
