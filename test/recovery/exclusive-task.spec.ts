import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Client } from 'pg';
import { pino } from 'pino';
import { ExclusiveTask, repeat } from '../../src/background/exclusive-task.js';
import { LogUnavailable } from '../../src/log/event-log.js';
import { startTestPostgres } from '../support/postgres.js';
import type { TestPostgres } from '../support/postgres.js';

let postgres: TestPostgres;
let lockUrl: string;

beforeAll(async () => {
  postgres = await startTestPostgres();
  lockUrl = await postgres.createDatabase();
});

afterAll(() => postgres?.stop());

type Work = (client: Client, signal: AbortSignal) => Promise<void>;

class Task extends ExclusiveTask {
  protected override readonly lock = 'task';
  protected override readonly subject = 'the work';

  constructor(
    line: (line: string) => void,
    private readonly does: Work,
  ) {
    super(0, { lockUrl, logger: pino({}, { write: line }) });
  }

  protected override work(client: Client, signal: AbortSignal): Promise<void> {
    return this.does(client, signal);
  }
}

/** Runs the task until the work stops it, and returns level and message of each line of the log. */
async function run(
  work: (client: Client, stop: AbortController, signal: AbortSignal) => Promise<void>,
): Promise<readonly [number, string][]> {
  const lines: string[] = [];
  const stop = new AbortController();
  const task = new Task(
    (line) => void lines.push(line),
    (client, signal) => work(client, stop, signal),
  );
  await task.run(stop.signal);
  return lines
    .map((line) => JSON.parse(line) as { level: number; msg: string })
    .map(({ level, msg }) => [level, msg]);
}

const pidOf = async (client: Client): Promise<number> =>
  (await client.query<{ pid: number }>('SELECT pg_backend_pid() AS pid')).rows[0]?.pid ?? 0;

const warned = [40, 'the work interrupted; retrying'] as const;
const failed = [50, 'the work interrupted; retrying'] as const;

describe('a failure of work that one process does', () => {
  const away = new LogUnavailable('away');
  const wrong = new Error('wrong');

  /** The work fails with these, one after the other; undefined: it succeeds. */
  const logOf = (outcomes: (Error | undefined)[]) =>
    run((_client, stop) => {
      if (outcomes.length === 1) stop.abort();
      const outcome = outcomes.shift();
      return outcome ? Promise.reject(outcome) : Promise.resolve();
    });

  it('is logged again if it is no outage any more', async () => {
    expect(await logOf([away, wrong, wrong, away, undefined])).toEqual([warned, failed]);
  });

  it('is logged once in a row, an outage as a warning', async () => {
    const outcomes = [away, away, undefined, away, undefined, wrong, wrong, undefined];
    expect(await logOf(outcomes)).toEqual([warned, warned, failed]);
  });

  it('is not logged once the process stops', async () => {
    expect(await logOf([wrong])).toEqual([]);
  });
});

describe('work under a lock', () => {
  it('goes on after its session was ended, in another one', async () => {
    const pids: number[] = [];
    const logged = await run((client, stop, signal) =>
      repeat(async () => {
        pids.push(await pidOf(client));
        if (pids.length === 3) stop.abort();
        if (pids.length === 2)
          await client.query('SELECT pg_terminate_backend(pg_backend_pid())').catch(() => undefined);
        return true;
      }, signal),
    );
    const [first, second, third] = pids;
    expect([second === first, third === first]).toEqual([true, false]);
    expect(logged).toEqual([warned]);
  });

  it('is done by one process at a time', async () => {
    let [working, most, rounds] = [0, 0, 0];
    const work = () =>
      run(async (client, stop) => {
        most = Math.max(most, (working += 1));
        await client.query('SELECT pg_sleep(0.01)');
        working -= 1;
        if ((rounds += 1) % 3 === 0) stop.abort();
      });
    await Promise.all([work(), work()]);
    expect(most).toBe(1);
  });
});
