import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { execFileSync, spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { EventStoreDBClient, jsonEvent } from '@eventstore/db-client';
import { childProcessIds, waitUntilGone } from '../../src/launch/processes.js';
import { EXIT_LOG_UNWRITABLE } from '@plaza/event-store';
import { canHaveFailingDisk, makeFailingDisk } from '@plaza/event-store/testing';
import type { FailingDisk } from '@plaza/event-store/testing';
import { environment, plaza, spawnPlaza } from '../support/command.js';

let dir = '';
const running: ChildProcess[] = [];

beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'plaza-eventstore-'));
});

afterEach(async () => {
  await Promise.all(running.splice(0).map(stop));
  rmSync(dir, { recursive: true });
});

async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exited = once(child, 'exit');
  child.kill('SIGTERM');
  await exited;
}

interface Serving {
  readonly process: ChildProcess;
  /** The first line on standard output. */
  readonly said: string;
}

async function serve(args: readonly string[], settings = {}, node = process.execPath): Promise<Serving> {
  const child = spawn(node, [plaza, 'eventstore', '--dir', dir, ...args], {
    env: environment({ LOG_LEVEL: 'silent', ...settings }),
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  running.push(child);
  let complaint = '';
  child.stderr.on('data', (chunk: Buffer) => void (complaint += chunk.toString()));
  const line = once(createInterface(child.stdout), 'line') as Promise<[string]>;
  const [said] = await Promise.race([line, once(child, 'exit').then(() => [undefined])]);
  if (said === undefined) throw new Error(`it ended: ${complaint}`);
  return { process: child, said };
}

/** Whether the event store at this port accepts an append. */
function acceptsAppend(port: number): Promise<boolean> {
  return acceptsAppendAt(`esdb://127.0.0.1:${port}?tls=false`);
}

async function acceptsAppendAt(url: string): Promise<boolean> {
  const client = EventStoreDBClient.connectionString(url);
  const { success } = await client.appendToStream('a-stream', jsonEvent({ type: 'happened', data: {} }));
  await client.dispose();
  return success;
}

const portOf = ({ said }: Serving): number => (JSON.parse(said) as { port: number }).port;
const fail = (...args: readonly string[]) =>
  spawnPlaza(['eventstore', '--dir', dir, ...args], { LOG_LEVEL: 'silent' });
const oneLine = (words: RegExp) => ({
  code: 1,
  stdout: '',
  stderr: expect.stringMatching(new RegExp(`^[^\n]*${words.source}[^\n]*\n$`)),
});

describe('plaza eventstore', () => {
  it('serves, and prints its address', async () => {
    const { said } = await serve(['--port', '0']);
    const [, port] = /^The event store listens: esdb:\/\/127\.0\.0\.1:(\d+)\?tls=false$/.exec(said) ?? [];
    expect(await acceptsAppend(Number(port))).toBe(true);
  });

  it('prints JSON, and stops cleanly on a signal', async () => {
    const serving = await serve(['--port', '0', '--json']);
    expect(await acceptsAppend(portOf(serving))).toBe(true);
    const exited = once(serving.process, 'exit');
    serving.process.kill('SIGTERM');
    expect(await exited).toEqual([0, null]);
  });

  it('serves TLS on request, and prints where its certificate and password are', async () => {
    const { said } = await serve(['--port', '0', '--tls']);
    const [, url, file] = /^The event store listens: (\S+) \(user and password: (.*)\)$/.exec(said) ?? [];
    const credentials = readFileSync(file!, 'utf8').trim();
    expect(await acceptsAppendAt(url!.replace('//', `//${credentials}@`))).toBe(true);
    expect(said).not.toContain(credentials.split(':')[1]);
  });

  it('ignores the settings of a network, except LOG_LEVEL', async () => {
    expect(
      await acceptsAppend(portOf(await serve(['--port', '0', '--json'], { ROLE: 'api', PORT: 'seven' }))),
    ).toBe(true);
    const { code, stderr } = await spawnPlaza(['eventstore', '--dir', dir, '--port', '0'], {
      LOG_LEVEL: 'loud',
    });
    expect(code).toBe(2);
    expect(stderr).toMatch(/^LOG_LEVEL: [^\n]*\n$/);
  });

  it('fails with one line on a directory in use', async () => {
    await serve(['--port', '0']);
    expect(await fail('--port', '0')).toEqual(oneLine(/is in use by another process/));
  });

  it('fails with one line on a corrupt log', async () => {
    await stop((await serve(['--port', '0'])).process);
    const log = readdirSync(dir).find((name) => name.endsWith('.log'));
    writeFileSync(join(dir, log!), 'damaged', { flag: 'r+' });
    expect(await fail('--port', '0')).toEqual(oneLine(/the event log is corrupt.*restore the directory/));
  });

  it('fails with one line where it cannot listen, and where its directory is a file', async () => {
    const taken = String(portOf(await serve(['--port', '0', '--json'])));
    const another = join(dir, 'another');
    expect(await fail('--dir', another, '--port', taken)).toEqual(
      oneLine(/^--port: another program listens on 127\.0\.0\.1:\d+; stop it or choose another port/),
    );
    expect(await fail('--dir', another, '--port', '0', '--host', '192.0.2.1')).toEqual(
      oneLine(/the event store cannot listen on 192\.0\.2\.1:0 \(EADDRNOTAVAIL\)/),
    );
    writeFileSync(another, '');
    expect(await fail('--dir', another, '--port', '0')).toEqual(
      oneLine(/--dir: .* cannot read or write .*EEXIST/),
    );
  });

  it('fails with one line on an invalid lock file, and on a damaged certificate', async () => {
    writeFileSync(join(dir, 'lock'), 'no lock'.repeat(100));
    expect(await fail('--port', '0')).toEqual(oneLine(/\/lock cannot be used as a lock \(.*remove it if/));
    const another = join(dir, 'another');
    mkdirSync(another);
    for (const name of ['tls.crt', 'tls.key']) writeFileSync(join(another, name), 'damaged');
    expect(await fail('--dir', another, '--port', '0', '--tls')).toEqual(oneLine(/tls\.key is damaged/));
  });
});

(canHaveFailingDisk ? describe : describe.skip)(
  'on a disk that fails (needs root, for ext4 on a loop device)',
  () => {
    let disk: FailingDisk;
    beforeEach(() => {
      disk = makeFailingDisk();
    });
    afterEach(() => disk.remove());

    it('exits with a code of its own, and does not serve until the disk accepts its log', async () => {
      const at = ['--dir', disk.dir, '--port', '0', '--json'];
      const serving = await serve(at, { LOG_LEVEL: 'fatal' });
      const exited = once(serving.process, 'exit');
      const client = EventStoreDBClient.connectionString(`esdb://127.0.0.1:${portOf(serving)}?tls=false`);
      const event = () => jsonEvent({ type: 'happened', data: { filling: 'x'.repeat(100_000) } });
      await client.appendToStream('a-stream', event());
      disk.fail();
      const appending = async (): Promise<void> => {
        for (;;) await client.appendToStream('a-stream', event());
      };
      await expect(appending()).rejects.toThrow(/unavailable|stopped writing/i);
      expect(await exited).toEqual([EXIT_LOG_UNWRITABLE, null]);
      await client.dispose();
      expect(await fail(...at)).toEqual(oneLine(/could not bring the end of its log to the disk/));
      disk.heal();
      expect(await acceptsAppend(portOf(await serve(at)))).toBe(true);
      await Promise.all(running.splice(0).map(stop));
    });
  },
);

/** A Node of the machine that is too old for Plaza, which then starts its own. */
const olderNode = ['/usr/bin/node', '/usr/local/bin/node'].find(
  (node) => existsSync(node) && /^v2[0-3]\./.test(execFileSync(node, ['--version'], { encoding: 'utf8' })),
);

(olderNode === undefined ? describe.skip : describe)('started by an older Node', () => {
  it('plaza eventstore still serves, and ends with the started process', async () => {
    const serving = await serve(['--port', '0', '--json'], {}, olderNode);
    expect(await acceptsAppend(portOf(serving))).toBe(true);
    const [pinned] = childProcessIds(serving.process.pid!);
    serving.process.kill('SIGKILL');
    expect(await waitUntilGone(pinned!, 60_000)).toBe(true);
  });
});
