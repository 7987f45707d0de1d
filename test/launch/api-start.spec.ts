import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { freePort } from '../../src/launch/free-port.js';
import { builtProcess, environment } from '../support/command.js';
import { startEmbeddedEventStore } from '@plaza/event-store/testing';
import type { EmbeddedEventStore } from '@plaza/event-store/testing';
import { startOwnPostgres } from '../support/postgres.js';
import type { OwnPostgres } from '../support/postgres.js';
import { until } from '../support/until.js';

let postgres: OwnPostgres;
let eventStore: EmbeddedEventStore;
let env: NodeJS.ProcessEnv;
let port: number;

beforeAll(async () => {
  [postgres, eventStore] = await Promise.all([startOwnPostgres(), startEmbeddedEventStore()]);
  port = await freePort();
  env = environment({
    ROLE: 'api',
    BASE_URL: `http://localhost:${port}`,
    PORT: String(port),
    OPERATOR_PORT: String(await freePort()),
    OPERATOR_TOKEN: 'x'.repeat(43),
    EVENTSTORE_URL: eventStore.url,
    DATABASE_URL: await postgres.createDatabase(),
    VAULT_DATABASE_URL: await postgres.createDatabase(),
    WITNESS_DATABASE_URL: await postgres.createDatabase(),
  });
});

afterAll(() => Promise.all([postgres.stop(), eventStore.stop()]));

it('an API process that starts while Postgres is away serves as soon as it is back', async () => {
  await postgres.kill();
  const api = spawn(process.execPath, [builtProcess('api')], { env, stdio: ['ignore', 'ignore', 'pipe'] });
  const ended = once(api, 'exit');
  let output = '';
  api.stderr.on('data', (chunk: Buffer) => (output += chunk.toString()));
  try {
    await until(() => output.includes('a database is unreachable, so the API does not serve yet; retrying'));
    await postgres.start();
    const isServing = () =>
      fetch(`http://localhost:${port}/livez`).then(
        ({ ok }) => ok,
        () => false,
      );
    expect(await until(isServing)).toBe(true);
    expect(api.exitCode).toBeNull();
  } finally {
    api.kill('SIGTERM');
    expect(await ended).toEqual([0, null]);
  }
});
