import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { registerApplication, signIn } from '../support/api.js';
import { runPlaza } from '../support/command.js';
import { startNetwork } from '../support/network.js';
import type { TestNetwork } from '../support/network.js';

let network: TestNetwork;

beforeAll(async () => {
  network = await startNetwork();
}, 120_000);

afterAll(() => network.stop());

async function plaza(...args: string[]): Promise<string> {
  const { code, stdout, stderr } = await runPlaza(args, network.env);
  expect([code, stderr]).toEqual([0, '']);
  return stdout;
}

const asked = async <Answer>(...args: string[]): Promise<Answer> =>
  JSON.parse(await plaza(...args, '--json')) as Answer;

describe('an operator at the command line', () => {
  it('takes the authority of an application, and gives it back', async () => {
    const { clientId } = await asked<{ clientId: string }>(
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
    expect(await plaza('app', 'suspend', clientId)).toBe(`${clientId} is suspended now\n`);
    expect(await plaza('app', 'suspend', clientId)).toBe(
      `${clientId} is suspended already; nothing changed\n`,
    );
    expect(await plaza('app', 'list')).toMatch(
      new RegExp(`^${clientId} {2}Quill {2}\\(suspended\\)\n {2}registered 20.*, 0 live grants\n`),
    );
    expect(await asked('app', 'reinstate', clientId, '--reason', 'they mended it')).toEqual({
      changed: true,
    });
    expect(await asked('app', 'reinstate', clientId)).toEqual({ changed: false });
    expect(await asked<object[]>('app', 'list')).toEqual([
      {
        clientId,
        name: 'Quill',
        state: 'active',
        scopes: ['openid', 'read'],
        redirectUris: ['https://quill.example/cb'],
        registeredAt: expect.any(Number),
        grants: 0,
      },
    ]);
  }, 60_000);

  it('ends what people granted, and the old secret', async () => {
    const application = await registerApplication(network);
    const { clientId, clientSecret } = application;
    const alice = await signIn(network, application);
    expect((await alice.get('/api/profile')).status).toBe(200);
    expect(await plaza('app', 'revoke-grants', clientId)).toBe('1 grants revoked\n');
    expect(await plaza('app', 'revoke-grants', clientId)).toBe('no grant is live; nothing changed\n');
    expect((await alice.get('/api/profile')).body.error).toBe('invalid_token');

    const before = Date.now();
    const rotated = await asked<{ clientSecret: string; previousUntil: number }>(
      'app',
      'rotate-secret',
      clientId,
      '--overlap',
      '15m',
    );
    expect(rotated.clientSecret).not.toBe(clientSecret);
    expect(Math.round((rotated.previousUntil - before) / 60_000)).toBe(15);
    const byDefault = await asked<{ previousUntil: number }>('app', 'rotate-secret', clientId);
    expect(Math.round((byDefault.previousUntil - before) / 3_600_000)).toBe(24);
  }, 60_000);

  it('says that there is nobody of that name', async () => {
    const { code, stdout, stderr } = await runPlaza(['app', 'suspend', 'nobody'], network.env);
    expect([code, stdout, stderr]).toEqual([1, '', 'There is no such application. (not_found)\n']);
  });

  it('rotates the keys that sign ID tokens', async () => {
    type Keys = { kid: string; state: string }[];
    const [old] = await asked<Keys>('keys', 'list');
    expect(old).toEqual({ kid: expect.any(String), state: 'signing', signsFrom: null, publishedUntil: null });
    const { kid } = await asked<{ kid: string }>('keys', 'rotate', '--reason', 'a year has passed');
    expect(await plaza('keys', 'rotate')).toMatch(
      new RegExp(`^${kid} signs from 20.* on: a rotation is under way; nothing changed\n$`),
    );
    expect(await asked<Keys>('keys', 'list')).toMatchObject([
      { kid: old?.kid, state: 'signing' },
      { kid, state: 'next', signsFrom: expect.any(Number) },
    ]);
    expect(await plaza('keys', 'list')).toMatch(
      new RegExp(`^${old?.kid} {2}signing since the network began\n${kid} {2}next, signs from 20.* on\n$`),
    );
  }, 60_000);
});
