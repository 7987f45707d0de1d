import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Client } from 'pg';
import { pino } from 'pino';
import { repeatUnderLock } from '../../projections/runner/locked-rounds.js';
import { startTestPostgres } from '../support/postgres.js';
import type { TestPostgres } from '../support/postgres.js';

let postgres: TestPostgres;
let databaseUrl: string;

beforeAll(async () => {
  postgres = await startTestPostgres();
  databaseUrl = await postgres.createDatabase();
});

afterAll(() => postgres?.stop());

/** Runs rounds until one stops them, and returns the lines of the log. */
async function run(round: (client: Client, stop: AbortController) => Promise<boolean>): Promise<string[]> {
  const lines: string[] = [];
  const logger = pino({}, { write: (line: string) => void lines.push(line) });
  const stop = new AbortController();
  const options = { databaseUrl, logger, name: 'test', subject: 'the work' };
  await repeatUnderLock({ ...options, round: (client) => round(client, stop) }, stop.signal);
  return lines.map((line) => (JSON.parse(line) as { msg: string }).msg);
}

const pidOf = async (client: Client): Promise<number> =>
  (await client.query<{ pid: number }>('SELECT pg_backend_pid() AS pid')).rows[0]?.pid ?? 0;

describe('work under a lock of a worker', () => {
  it('goes on after an error, in another session', async () => {
    const pids: number[] = [];
    const said = await run(async (client, stop) => {
      pids.push(await pidOf(client));
      if (pids.length === 2) throw new Error('once');
      if (pids.length === 3) stop.abort();
      return true;
    });
    const [first, second, third] = pids;
    expect([second === first, third === first]).toEqual([true, false]);
    expect(said).toEqual(['the work interrupted; retrying']);
  });

  it('goes on after its session was ended', async () => {
    const pids: number[] = [];
    const said = await run(async (client, stop) => {
      pids.push(await pidOf(client));
      if (pids.length === 2) stop.abort();
      else await client.query('SELECT pg_terminate_backend(pg_backend_pid())').catch(() => undefined);
      return true;
    });
    expect(new Set(pids).size).toBe(2);
    expect(said).toEqual(['the work interrupted; retrying']);
  });

  it('is done by one worker at a time', async () => {
    let [working, most, rounds] = [0, 0, 0];
    const work = () =>
      run(async (client, stop) => {
        most = Math.max(most, (working += 1));
        await client.query('SELECT pg_sleep(0.01)');
        working -= 1;
        if ((rounds += 1) % 3 === 0) stop.abort();
        return true;
      });
    await Promise.all([work(), work()]);
    expect([most, rounds]).toEqual([1, 6]);
  });
});
