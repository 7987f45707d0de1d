import { once } from 'node:events';
import { get } from 'node:http';
import type { IncomingMessage } from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startApiProcess } from '../support/api-process.js';
import type { ApiProcess } from '../support/api-process.js';
import { runPlaza } from '../support/command.js';
import { lentNetwork } from '../support/lent-network.js';
import type { TestNetwork } from '../support/network.js';
import { password } from './support/auth-network.js';
import { Visitor } from './support/visitor.js';

let network: TestNetwork;
let second: ApiProcess;

beforeAll(async () => {
  network = await lentNetwork();
  second = await startApiProcess(network);
});

afterAll(async () => {
  // Other files get the network next, also after a failure here.
  if (network) await runPlaza(['registration', 'open'], network.env);
  await second?.stop();
  await network?.stop();
});

const SIGN_UP = '/api/auth/account/sign-up';

const registration = async (...args: string[]) => {
  const { code, stdout } = await runPlaza(['registration', ...args, '--json'], network.env);
  expect(code).toBe(0);
  return JSON.parse(stdout) as unknown;
};

/** The sign-up page of each process, and what the landing page says. */
async function offered() {
  const ports = [Number(new URL(network.baseUrl).port), second.port];
  const statuses = await Promise.all(
    ports.map(async (port) => {
      const { host } = new URL(network.baseUrl);
      const [answer] = (await once(
        get({ host: '127.0.0.1', port, path: SIGN_UP, headers: { host } }),
        'response',
      )) as [IncomingMessage];
      answer.resume();
      return answer.statusCode;
    }),
  );
  const landing = await (await fetch(network.baseUrl)).text();
  return { statuses, isLinked: landing.includes(SIGN_UP) };
}

const open = { statuses: [200, 200], isLinked: true };
const closed = { statuses: [403, 403], isLinked: false };

describe('registration', () => {
  it('is what the setting says, until an operator closes it: on every process, without the worker, and after a restart', async () => {
    expect(await registration('status')).toEqual({ isOpen: true, by: 'setting' });
    expect(await offered()).toEqual(open);
    const visitor = new Visitor(network.baseUrl);
    const form = await visitor.open(`${network.baseUrl}${SIGN_UP}`);
    const { worker = 0 } = network.pids();
    process.kill(worker, 'SIGSTOP');
    try {
      expect(await registration('closed', '--reason', 'a wave of spam')).toEqual({ changed: true });
      expect(await offered()).toEqual(closed);
      const person = { handle: 'late', displayName: 'Late', email: 'late@example.org', password };
      expect((await visitor.submit(form, person)).status).toBe(403);
    } finally {
      process.kill(worker, 'SIGCONT');
    }
    expect(await registration('closed')).toEqual({ changed: false });
    expect(await registration('status')).toEqual({ isOpen: false, by: 'operator' });
    await network.restart();
    expect((await fetch(`${network.baseUrl}${SIGN_UP}`)).status).toBe(403);

    expect(await registration('open')).toEqual({ changed: true });
    expect((await visitor.open(`${network.baseUrl}${SIGN_UP}`)).status).toBe(200);
    const { stdout } = await runPlaza(['audit', '--type', 'registration.*', '--wait', '--json'], network.env);
    expect(
      stdout
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line) as object),
    ).toMatchObject([
      { type: 'registration.opened' },
      { type: 'registration.closed', reason: 'a wave of spam', operatorId: 'shared-token' },
    ]);
  });
});
