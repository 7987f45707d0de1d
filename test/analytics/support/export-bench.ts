import { randomBytes, randomUUID } from 'node:crypto';
import { spawn } from 'node:child_process';
import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { columnsOf } from '../../../src/analytics/columns/columns.js';
import { putCommit, requireState } from '../../../src/analytics/data-set/commits.js';
import { readParquet } from '../../../src/analytics/data-set/parquet.js';
import type { State } from '../../../src/analytics/data-set/state.js';
import type { Value } from '../../../src/analytics/columns/rows.js';
import type { EventMetadata } from '../../../src/log/recorded.js';
import type { StoredEvent } from '../../../src/log/registry.js';
import { runPlaza } from '../../support/command.js';
import type { CommandResult } from '../../support/command.js';
import { LogBench, newId } from '../../log/support/log-bench.js';
import type { KillPoint } from './killed-export.js';

export const DAY_MS = 86_400_000;
/** 2026-01-01. */
export const FIRST_DAY = Date.UTC(2026, 0, 1);

/** Without the line about exports that nobody records. */
export const withoutNotice = (result: CommandResult): CommandResult => ({
  ...result,
  stderr: result.stderr.replace(/^exporting unrecorded .*\n/, ''),
});

/** A log of its own, and directories for data sets. */
export class ExportBench {
  private readonly root = mkdtempSync(join(tmpdir(), 'plaza-analytics-'));
  private constructor(readonly logBench: LogBench) {}

  static async open(): Promise<ExportBench> {
    return new ExportBench(await LogBench.open());
  }

  newDir(): string {
    return mkdtempSync(join(this.root, 'set-'));
  }

  get env(): NodeJS.ProcessEnv {
    return {
      EVENTSTORE_URL: this.logBench.store.url,
      DATA_DIR: join(this.root, 'none'),
      ANALYTICS_EXPORT_ALONE: 'on',
    };
  }

  async plaza(...args: readonly string[]): Promise<CommandResult> {
    return withoutNotice(await runPlaza(['analytics', ...args], this.env));
  }

  /** Appends posts of the given days after {@link FIRST_DAY}, each by its own author. */
  async appendPosts(...days: readonly number[]): Promise<void> {
    for (const day of days) {
      const post = newPost(day);
      await this.append(`post-${post.data.postId}`, post);
    }
  }

  /** Appends posts of {@link FIRST_DAY} as one write. */
  async appendTogether(posts: number): Promise<void> {
    await this.logBench.log.append({
      stream: `post-${newId()}`,
      expected: 'no_stream',
      events: Array.from({ length: posts }, () => ({ id: randomUUID(), event: newPost(0) })),
      metadata: { requestId: 'together', actorId: 'author', appId: 'app' },
    });
  }

  async append(stream: string, event: StoredEvent, more: Partial<EventMetadata> = {}): Promise<string> {
    const id = randomUUID();
    const requestId = randomBytes(8).toString('hex');
    const metadata = { requestId, actorId: 'author', appId: 'app', ...more };
    await this.logBench.log.append({ stream, expected: 'no_stream', events: [{ id, event }], metadata });
    return id;
  }

  /** Replaces the log by the copy that `change` got when it began. */
  async setBack(change: () => Promise<void>): Promise<void> {
    const { dir } = this.logBench.store;
    const copy = `${dir}-copy`;
    await this.logBench.store.kill('SIGTERM');
    cpSync(dir, copy, { recursive: true });
    await this.logBench.restartStore();
    await change();
    await this.logBench.store.kill('SIGTERM');
    rmSync(dir, { recursive: true });
    cpSync(copy, dir, { recursive: true });
    rmSync(copy, { recursive: true });
    await this.logBench.restartStore();
  }

  rewrite(dir: string, change: (state: State) => State): void {
    const state = change(requireState(dir));
    putCommit(dir, { ...state, number: state.number + 1 }, 'flush', () => undefined);
  }

  /** Positions of the network's events in the log. */
  async logged(): Promise<readonly number[]> {
    const stop = new AbortController();
    const positions: number[] = [];
    const options = { after: undefined, batchSize: 500, signal: stop.signal };
    for await (const { events, caughtUp } of this.logBench.log.undecoded(options)) {
      positions.push(...events.map(({ position }) => Number(position)));
      if (caughtUp) break;
    }
    stop.abort();
    return positions;
  }

  async close(): Promise<void> {
    await this.logBench.close();
    rmSync(this.root, { recursive: true, force: true });
  }
}

const newPost = (day: number) =>
  ({
    type: 'post.created',
    data: {
      postId: newId(),
      authorActorId: `author-${day}`,
      appId: 'app',
      text: `a text of day ${day}`,
      audience: 'public',
      mentions: [],
      at: FIRST_DAY + day * DAY_MS,
    },
  }) as const satisfies StoredEvent;

/** Runs support/killed-export. `since`: begin of the data set, in Unix milliseconds. */
export async function runKilled(
  bench: ExportBench,
  dir: string,
  point: KillPoint | null,
  since: number | null = null,
) {
  const entry = fileURLToPath(new URL('killed-export.ts', import.meta.url));
  const hook = new URL('../../support/typescript.hooks.mjs', import.meta.url).href;
  const args = [dir, bench.logBench.store.url, point, since].map((each) => JSON.stringify(each));
  const child = spawn(process.execPath, ['--import', hook, entry, ...args], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const ended = new Promise((resolve) => child.once('close', (code, signal) => resolve(signal ?? code)));
  const [end, reached] = await Promise.all([ended, text(child.stdout)]);
  return { end, reached: reached === '' ? null : (JSON.parse(reached) as KillPoint) };
}

/** The rows of the committed files, by position. */
export async function committedRows(dir: string): Promise<readonly Record<string, Value>[]> {
  const { files, ...contents } = requireState(dir);
  const columns = columnsOf(contents);
  const rows: Record<string, Value>[] = [];
  for (const { path, rows: count } of files) {
    const data = await readParquet(join(dir, path), columns);
    for (let n = 0; n < count; n++)
      rows.push(Object.fromEntries(columns.map(({ name }) => [name, data[name]?.[n]])));
  }
  return rows.toSorted((a, b) => Number(a['position']) - Number(b['position']));
}

export const positionsOf = async (dir: string): Promise<readonly number[]> =>
  (await committedRows(dir)).map(({ position }) => Number(position));
