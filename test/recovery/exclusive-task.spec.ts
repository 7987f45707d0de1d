import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Client, Pool } from 'pg';
import { pino } from 'pino';
import { serving } from '../../projections/groups.js';
import { moveJob, requestJob } from '../../projections/jobs/job.js';
import { requestAsOf } from '../../src/background/as-of/builds.js';
import { ExclusiveTask } from '../../src/background/exclusive-task.js';
import { announceWorkSql, WORK_CHANNEL } from '../../src/base/store/notification-listener.js';
import { sessionClient } from '../../src/base/store/session-client.js';
import { LogUnavailable } from '../../src/log/event-log.js';
import { isOutage } from '../../src/log/witness/outage.js';
import { startTestPostgres } from '../support/postgres.js';
import type { TestPostgres } from '../support/postgres.js';
import { startTcpProxy } from '../support/tcp-proxy.js';
import { until } from '../support/until.js';

let postgres: TestPostgres;
let lockUrl: string;

beforeAll(async () => {
  postgres = await startTestPostgres();
  lockUrl = await postgres.createDatabase();
});

afterAll(() => postgres?.stop());

type Work = (this: Task, client: Client, signal: AbortSignal) => Promise<void>;

class Task extends ExclusiveTask {
  protected override readonly lock = 'task';
  protected override readonly subject = 'the work';

  constructor(
    line: (line: string) => void,
    private readonly does: Work,
    at = lockUrl,
  ) {
    super(0, { lockUrl: at, logger: pino({}, { write: line }) });
  }

  override repeat(...given: Parameters<ExclusiveTask['repeat']>): Promise<void> {
    return super.repeat(...given);
  }

  override get isStopping(): boolean {
    return super.isStopping;
  }

  protected override work(client: Client, signal: AbortSignal): Promise<void> {
    return this.does(client, signal);
  }
}

/** Runs the task until the work stops it, and returns level and message of each line of the log. */
async function run(
  work: (client: Client, stop: AbortController, signal: AbortSignal, task: Task) => Promise<void>,
): Promise<readonly [number, string][]> {
  const lines: string[] = [];
  const stop = new AbortController();
  const task = new Task(
    (line) => void lines.push(line),
    (client, signal) => work(client, stop, signal, task),
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

  it('is logged again after rounds that succeeded', async () => {
    const outcomes = [away, undefined, undefined, away, wrong, undefined, wrong, undefined];
    const logged = await run((_client, stop, signal, task) =>
      task.repeat(async () => {
        if (outcomes.length === 1) stop.abort();
        const outcome = outcomes.shift();
        if (outcome) throw outcome;
        return true;
      }, signal),
    );
    expect(logged).toEqual([warned, warned, failed, failed]);
  });

  it('is not logged once the process stops', async () => {
    expect(await logOf([wrong])).toEqual([]);
  });
});

describe('work that is requested', () => {
  it('is looked for at once, also if it is requested during a look', async () => {
    let looks = 0;
    const began = performance.now();
    await run((client, stop, signal, task) =>
      task.repeat(async () => {
        if ((looks += 1) === 20) stop.abort();
        await client.query(`SELECT ${announceWorkSql}`);
        return false;
      }, signal),
    );
    expect(looks).toBe(20);
    // Without the notifications it takes forty seconds.
    expect(performance.now() - began).toBeLessThan(20_000);
  });

  it('is announced: a job, its resumption, and an as-of build', async () => {
    const connectionString = await postgres.createReadStore();
    const [pool, listening] = [new Pool({ connectionString }), new Client(connectionString)];
    let announced = 0;
    listening.on('notification', () => (announced += 1));
    await listening.connect();
    await listening.query(`LISTEN ${WORK_CHANNEL}`);
    const [id, by] = [randomUUID(), { requestedBy: 'o', reason: 'a test', now: 0 }];
    const requests = [
      () => requestJob(pool, { id, kind: 'rebuild', names: [], ...by }),
      () => moveJob(pool, id, ['requested'], 'paused', 0),
      () => moveJob(pool, id, ['paused'], 'requested', 0),
      () => requestAsOf(pool, serving, { moment: { position: 1n, eventId: randomUUID(), at: 0 }, ...by }),
    ];
    for (const [i, request] of requests.entries()) {
      await request();
      await until(() => announced === i + 1);
    }
    // One that is in no such state is not moved.
    expect(await moveJob(pool, id, ['paused'], 'requested', 0)).toBe(false);
    await listening.query('SELECT');
    expect(announced).toBe(requests.length);
    await Promise.all([pool.end(), listening.end()]);
  });
});

describe('work under a lock', () => {
  it('goes on after its session was ended, in another one', async () => {
    const pids: number[] = [];
    const logged = await run((client, stop, signal, task) =>
      task.repeat(async () => {
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

  it('is stopping once the lock is lost, and not any more with the next lock', async () => {
    const found: boolean[] = [];
    await run(async (client, stop, signal, task) => {
      found.push(task.isStopping);
      if (found.length > 1) return stop.abort();
      const isLost = once(signal, 'abort');
      await client.query('SELECT pg_terminate_backend(pg_backend_pid())').catch(() => undefined);
      await isLost;
      found.push(task.isStopping);
    });
    expect(found).toEqual([false, true, false]);
  });

  it('is given up at once while another process has the lock, or the server hangs', async () => {
    const url = new URL(lockUrl);
    const proxy = await startTcpProxy(Number(url.port));
    url.port = String(proxy.port);
    const holder = new Client(lockUrl);
    await holder.connect();
    await holder.query("SELECT pg_advisory_lock(hashtextextended('task', 0))");
    /** Waits until the task has asked for the lock once more. */
    const hasAsked = async () => {
      const { rows } = await holder.query<{ now: string }>('SELECT clock_timestamp()::text AS now');
      const asked = `SELECT FROM pg_stat_activity
        WHERE application_name = 'plaza-task' AND query LIKE '%try_advisory%' AND query_start > $1::timestamptz`;
      await until(async () => (await holder.query(asked, [rows[0]?.now])).rowCount === 1);
    };
    const lines: string[] = [];
    const start = () => {
      const work = () => Promise.reject(new Error('no lock'));
      const task = new Task((line) => void lines.push(line), work, url.href);
      task.start();
      return task;
    };
    /** Begins to connect, and returns the error after five seconds of a server that hangs. */
    const late = () => {
      const client = sessionClient(url.href, 'late');
      client.on('error', () => undefined);
      return client.connect().then(
        () => 'connected',
        (error: unknown) => error,
      );
    };
    try {
      proxy.freeze();
      const tooLate = late();
      const connecting = start();
      await until(() => proxy.connections() === 2);
      expect(await Promise.race([tooLate, connecting.stop()])).toBeUndefined();
      expect(isOutage(await tooLate)).toBe(true);

      proxy.thaw();
      const waiting = start();
      await hasAsked();
      await waiting.stop();

      const asking = start();
      await hasAsked();
      proxy.holdAnswers();
      await hasAsked();
      expect(await Promise.race([late(), asking.stop()])).toBeUndefined();
      expect(lines).toEqual([]);
    } finally {
      await holder.end();
      await proxy.close();
    }
  });

  it('takes no lock without work', async () => {
    const lines: string[] = [];
    const stop = new AbortController();
    let asked = 0;
    const task = new (class extends Task {
      protected override hasWork(): Promise<boolean> {
        if ((asked += 1) > 1) stop.abort();
        return Promise.resolve(false);
      }
    })(
      (line) => void lines.push(line),
      () => Promise.reject(new Error('not asked for')),
      'postgres://127.0.0.1:1/none',
    );
    await task.run(stop.signal);
    expect(lines).toEqual([]);
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
