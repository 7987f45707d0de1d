import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { startOperatorApi } from '../../src/operator/entrances/operator-server.js';
import { withIdentifiersLast } from '../../src/programs/plaza/leading-hyphens.js';
import { commandLine } from '../../src/programs/plaza/program.js';
import { Browser } from '../../src/programs/demo/browser.js';
import { foundNetwork } from '../../projections/incarnations/network-identity.js';
import { environment, runPlaza } from '../support/command.js';
import { everyScope, redirectUri, startAuthNetwork } from './support/auth-network.js';
import type { AuthNetwork } from './support/auth-network.js';
import { connect, discover, isLive } from './support/flow.js';

let network: AuthNetwork;
let operatorApi: { close(): Promise<void> };
let settings: NodeJS.ProcessEnv;

beforeAll(async () => {
  network = await startAuthNetwork();
  await foundNetwork(network.log(), { uuid: randomUUID, networkId: () => 'n-1' }, Date.now);
  operatorApi = await startOperatorApi(network.app());
  const { port, operatorPort, dataDir } = network.config;
  settings = { PORT: String(port), OPERATOR_PORT: String(operatorPort), DATA_DIR: dataDir };
  process.env = environment(settings);
});

afterAll(async () => {
  await operatorApi.close();
  await network.stop();
});

/** Runs a command in this process, which is faster than starting one, and returns its output. */
async function plaza(...args: string[]): Promise<string> {
  let printed = '';
  const { isTTY } = process.stdout;
  process.stdout.isTTY = false;
  const writing = jest.spyOn(process.stdout, 'write').mockImplementation((text) => {
    printed += String(text);
    return true;
  });
  try {
    await commandLine().parseAsync(withIdentifiersLast(args), { from: 'user' });
  } finally {
    process.stdout.isTTY = isTTY;
    writing.mockRestore();
  }
  return printed;
}

const runForJson = async <Answer>(...args: string[]): Promise<Answer> =>
  JSON.parse(await plaza(...args, '--json')) as Answer;

/** The items of a list, which are a line each. */
async function listed<Item>(...args: string[]): Promise<Item[]> {
  const lines = (await plaza(...args, '--json')).split('\n');
  expect(lines.pop()).toBe('');
  return lines.map((line) => JSON.parse(line) as Item);
}

describe('the command line of an operator', () => {
  it('suspends and reinstates an application', async () => {
    const { clientId } = await runForJson<{ clientId: string }>(
      'app',
      'register',
      '--name',
      'Quill',
      '--scope',
      'openid read',
      '--redirect-uri',
      'https://quill.example/cb',
      '--post-logout-redirect-uri',
      'https://quill.example/bye',
    );
    expect(await plaza('app', 'suspend', clientId)).toBe(
      `${clientId} is suspended now (lifecycle revision 2)\n`,
    );
    expect(await plaza('app', 'suspend', clientId)).toBe(
      `${clientId} is suspended already (lifecycle revision 2); nothing changed\n`,
    );
    expect(await listed('app', 'list')).toMatchObject([{ clientId, name: 'Quill', state: 'suspended' }]);
    expect(await runForJson('app', 'reinstate', clientId, '--reason', 'they mended it')).toEqual({
      changed: true,
      revision: 3,
    });
    expect(await runForJson('app', 'reinstate', clientId)).toEqual({ changed: false, revision: 3 });
    expect(await listed('app', 'list')).toEqual([
      {
        clientId,
        name: 'Quill',
        state: 'active',
        scopes: ['openid', 'read'],
        redirectUris: ['https://quill.example/cb'],
        postLogoutRedirectUris: ['https://quill.example/bye'],
        registeredAt: expect.any(Number),
        grants: 0,
      },
    ]);
  });

  it('invites an operator, who enrolls with the code, and from then on acts with a personal token', async () => {
    const { operatorId, invitationCode } = await runForJson<{ operatorId: string; invitationCode: string }>(
      'operator',
      'invite',
      '--name',
      'Grace',
      '--role',
      'moderator',
      '--role',
      'auditor',
    );
    const enroll = ['operator', 'enroll', '--label', 'laptop', '--json'];
    const { code, stdout } = await runPlaza(enroll, settings, `${invitationCode}\n`);
    const { token, tokenId } = JSON.parse(stdout) as Readonly<Record<string, string>>;
    expect(code).toBe(0);
    process.env['OPERATOR_TOKEN'] = token;
    try {
      const issued = await runForJson<{ tokenId: string }>('operator', 'token', 'issue', '--expires', '24h');
      expect(await plaza('operator', 'token', 'revoke', issued.tokenId)).toBe(
        `${issued.tokenId} is revoked\n`,
      );
      expect(await plaza('operator', 'token', 'revoke', issued.tokenId)).toContain('nothing changed');
      expect(await listed('operator', 'list')).toMatchObject([
        {
          operatorId,
          name: 'Grace',
          state: 'active',
          roles: ['moderator', 'auditor'],
          tokens: [
            { tokenId, label: 'laptop', revokedAt: null },
            { tokenId: issued.tokenId, label: 'command line', revokedAt: expect.any(Number) },
          ],
        },
      ]);
    } finally {
      delete process.env['OPERATOR_TOKEN'];
    }
    expect(await plaza('operator', 'roles', operatorId, '--role', 'viewer', '--reason', 'a new task')).toBe(
      `${operatorId} is viewer now (lifecycle revision 2)\n`,
    );
    expect(await plaza('operator', 'suspend', operatorId, '--reason', 'left')).toBe(
      `${operatorId} is suspended now (lifecycle revision 3)\n`,
    );
  });

  it('revokes the grants of an application, and rotates its secret', async () => {
    const { clientId, clientSecret } = await runForJson<{ clientId: string; clientSecret: string }>(
      'app',
      'register',
      '--name',
      'Pebble',
      '--redirect-uri',
      redirectUri,
      '--scope',
      everyScope.join(' '),
    );
    await network.createAccount('ada');
    const client = await discover(network, { clientId, clientSecret });
    const { accessToken } = await connect(client, new Browser(network.baseUrl), 'ada');
    expect(await isLive(client, accessToken)).toBe(true);
    expect(await plaza('app', 'revoke-grants', clientId)).toBe('grants revoked: 1\n');
    expect(await plaza('app', 'revoke-grants', clientId)).toBe('no grant is live; nothing changed\n');
    expect(await isLive(client, accessToken)).toBe(false);

    const before = Date.now();
    const rotated = await runForJson<{ clientSecret: string; previousUntil: number }>(
      'app',
      'rotate-secret',
      clientId,
      '--overlap',
      '15m',
    );
    expect(rotated.clientSecret).not.toBe(clientSecret);
    expect(Math.round((rotated.previousUntil - before) / 60_000)).toBe(15);
    const byDefault = await runForJson<{ previousUntil: number }>('app', 'rotate-secret', clientId);
    expect(Math.round((byDefault.previousUntil - before) / 3_600_000)).toBe(24);
  });

  it('reports an unknown application, and exits with 1', async () => {
    const { code, stdout, stderr } = await runPlaza(['app', 'suspend', 'nobody'], settings);
    expect([code, stdout, stderr]).toEqual([1, '', 'There is no such application. (not_found)\n']);
  });

  it('prints nothing but the answer, a line for each item of a list, and exits with 0', async () => {
    const { code, stdout, stderr } = await runPlaza(['keys', 'list', '--json'], settings);
    expect([code, stderr]).toEqual([0, '']);
    expect(stdout).toBe(await plaza('keys', 'list', '--json'));
    expect(stdout).toBe(await plaza('keys', 'list'));
  });

  it('rotates the keys that sign ID tokens', async () => {
    type Key = { kid: string; state: string };
    const [old] = await listed<Key>('keys', 'list');
    expect(old).toEqual({ kid: expect.any(String), state: 'signing', signsFrom: null, publishedUntil: null });
    const { kid } = await runForJson<{ kid: string }>('keys', 'rotate', '--reason', 'a year has passed');
    expect(await plaza('keys', 'rotate')).toMatch(
      new RegExp(`^${kid} signs from 20.* on: a rotation is under way; nothing changed\n$`),
    );
    expect(await listed<Key>('keys', 'list')).toMatchObject([
      { kid: old?.kid, state: 'signing' },
      { kid, state: 'next', signsFrom: expect.any(Number) },
    ]);
  });
});
