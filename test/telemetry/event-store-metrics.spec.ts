import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { request } from 'node:http';
import type { IncomingMessage } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { environment, plaza } from '../support/command.js';
import { Scrape } from './support/scrape.js';

/** `plaza eventstore`, without TLS: Linux only. */
describe('the metrics of the embedded event store', () => {
  let dir: string;
  let store: ChildProcess;
  let port: number;

  beforeAll(async () => {
    dir = mkdtempSync(join(tmpdir(), 'plaza-eventstore-'));
    store = spawn(process.execPath, [plaza, 'eventstore', '--dir', dir, '--port', '0', '--json'], {
      env: environment({ LOG_LEVEL: 'silent' }),
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const [line] = (await once(createInterface(store.stdout!), 'line')) as [string];
    port = (JSON.parse(line) as { port: number }).port;
  });

  afterAll(async () => {
    const ended = once(store, 'exit');
    store.kill('SIGTERM');
    await ended;
    rmSync(dir, { recursive: true });
  });

  async function ask(host: string, method = 'GET') {
    const asked = request({ host: '127.0.0.1', port, path: '/metrics', method, headers: { host } }).end();
    const [answer] = (await once(asked, 'response')) as [IncomingMessage];
    return { status: answer.statusCode, body: await text(answer) };
  }

  it('report its process and the space of its disk, at each scrape', async () => {
    const first = await Scrape.of(port);
    expect(first.sum('plaza_disk_free_bytes')).toBeGreaterThan(0);
    expect(first.sum('process_cpu_seconds_total')).toBeGreaterThan(0);
    const second = await Scrape.of(port);
    expect(second.sum('process_start_time_seconds')).toBe(first.sum('process_start_time_seconds'));
  });

  it.each(['localhost', '127.0.0.1:2113', '[::1]'])('answer under %s', async (host) => {
    expect((await ask(host)).status).toBe(200);
  });

  it.each(['evil.example', 'localhost.evil.example', '127.evil.example'])(
    'do not answer a page under a foreign host name: %s',
    async (host) => {
      expect(await ask(host)).toEqual({ status: 403, body: '' });
    },
  );

  it('are only read', async () => {
    expect((await ask('localhost', 'POST')).status).toBe(405);
  });
});
