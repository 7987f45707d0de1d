import { afterEach, describe, expect, it } from '@jest/globals';
import { spawn } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { createServer } from 'node:net';
import type { Server } from 'node:net';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { pathToFileURL } from 'node:url';
import { listenError, freePort, portRangeBelow, reservePort } from '../../src/launch/free-port.js';
import { root } from '../support/command.js';
import { newDataDir } from '../support/data-dir.js';
import { startNetwork } from '../support/network.js';
import { until } from '../support/until.js';

const servers: Server[] = [];

afterEach(() => {
  for (const server of servers.splice(0)) server.close();
});

describe('the range of chosen ports', () => {
  it.each([
    ['of Linux', 32_768, [20_000, 32_000]],
    ['of macOS', 49_152, [20_000, 32_000]],
    ['that begins earlier', 15_000, [3_000, 15_000]],
    ['that begins very early', 4_000, [1_024, 4_000]],
    ['that leaves no room below', 1_024, [20_000, 32_000]],
  ])('stays below an outgoing range %s', (_which, first, expected) => {
    expect(portRangeBelow(first)).toEqual(expected);
  });
});

describe('a free port', () => {
  /** Returns these, one after the other. */
  const inTurn = (ports: readonly number[]) => {
    const left = [...ports];
    return () => left.shift() ?? Number.NaN;
  };

  it('is chosen again where a program listens', async () => {
    const [taken, free] = [await unreservedPort(), await unreservedPort()];
    servers.push(createServer().listen(taken, '127.0.0.1'));
    await once(servers[0]!, 'listening');
    expect(await freePort(inTurn([taken, free]))).toBe(free);
  });

  it('is chosen again where the port is reserved, even if nothing listens', async () => {
    const [configured, chosen, free] = [
      await unreservedPort(),
      await unreservedPort(),
      await unreservedPort(),
    ];
    expect(await reservePort(configured)).toBe(true);
    expect(await freePort(inTurn([configured, chosen]))).toBe(chosen);
    expect(await freePort(inTurn([configured, chosen, free]))).toBe(free);
    expect(await reservePort(chosen)).toBe(false);
  });

  it('is unique among concurrent processes until its process ends', async () => {
    const choosers = Array.from({ length: 4 }, () => chooser(300));
    const chosen = await Promise.all(choosers.map(({ ports }) => ports));
    expect(new Set(chosen.flat()).size).toBe(4 * 300);
    const [first] = chosen[0]!;
    expect(await reservePort(first!)).toBe(false);
    for (const { process: child } of choosers) {
      const ended = once(child, 'exit');
      child.kill('SIGKILL');
      await ended;
    }
    await until(() => reservePort(first!));
  });
});

describe('the ports of a network', () => {
  it('stay reserved while the launcher lives, even if nothing listens on them', async () => {
    // As if a person had chosen them.
    const [port, operatorPort] = [await unreservedPort(), await unreservedPort()];
    const ports = { PORT: String(port), OPERATOR_PORT: String(operatorPort) };
    const network = await startNetwork(ports, newDataDir());
    try {
      const { supervisor, api, eventStore } = network.pids();
      const stores = ['EVENTSTORE_URL', 'DATABASE_URL'].map((name) => new URL(network.env[name]!).port);
      const all = [port, operatorPort, ...stores.map(Number)];
      // A stopped launcher restarts nothing.
      process.kill(supervisor, 'SIGSTOP');
      process.kill(api!, 'SIGKILL');
      process.kill(eventStore!, 'SIGKILL');
      await until(async () => (await listenError(port)) === undefined);
      for (const each of all) expect([each, await reservePort(each)]).toEqual([each, false]);
      process.kill(supervisor, 'SIGCONT');
    } finally {
      await network.stop();
    }
  });
});

/**
 * A port of the range without a listener or a reservation: the workers of a test run keep hundreds reserved until
 * they end.
 */
async function unreservedPort(): Promise<number> {
  for (;;) {
    const port = randomInt(20_000, 32_000);
    if ((await listenError(port)) === undefined && (await canBeReserved(port))) return port;
  }
}

function canBeReserved(port: number): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<boolean>();
  const socket = createSocket('udp4');
  socket.once('error', () => socket.close(() => resolve(false)));
  socket.bind({ port, address: '127.0.0.1', exclusive: true }, () => socket.close(() => resolve(true)));
  return promise;
}

/** A process that reserves `count` ports and stays alive. */
function chooser(count: number) {
  const module = pathToFileURL(join(root, 'dist', 'src', 'launch', 'free-port.js')).href;
  const script = `
    const { freePort } = await import(${JSON.stringify(module)});
    const ports = [];
    while (ports.length < ${count}) ports.push(await freePort());
    console.log(JSON.stringify(ports));
    process.stdin.resume();`;
  const child = spawn(process.execPath, ['--input-type=module', '-e', script], {
    // Ends with its standard input at the latest.
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const ports = once(createInterface(child.stdout), 'line').then(
    ([line]: unknown[]) => JSON.parse(String(line)) as readonly number[],
  );
  return { process: child, ports };
}
