import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startOperatorApi } from '../../src/operator/entrances/operator-server.js';
import { streams } from '../../src/log/streams.js';
import { recordRefusal } from '../support/recorded-refusals.js';
import { everyScope, password, redirectUri, startAuthNetwork } from './support/auth-network.js';
import type { AuthNetwork } from './support/auth-network.js';
import { discover, errorOf, isLive } from './support/flow.js';

let network: AuthNetwork;
let operatorApi: { close(): Promise<void> };

beforeAll(async () => {
  network = await startAuthNetwork();
  operatorApi = await startOperatorApi(network.app());
});

afterAll(async () => {
  await operatorApi.close();
  await network.stop();
});

const application = { name: 'Pebble', redirectUris: [redirectUri], scopes: everyScope };
const account = (handle: string) => ({
  handle,
  displayName: 'Ada',
  email: `${handle}@example.org`,
  password,
});

async function post(path: string, sent: unknown) {
  const { operatorHost, operatorPort, dataDir } = network.config;
  const response = await fetch(`http://${operatorHost}:${operatorPort}${path}`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${readFileSync(join(dataDir, 'operator.token'), 'utf8').trim()}`,
      'content-type': 'application/json',
      'x-operator': 'grace',
    },
    body: JSON.stringify(sent),
  });
  const body = (await response.json()) as Readonly<Record<string, string>>;
  recordRefusal(response.status, body);
  return { status: response.status, body };
}

describe('an operator', () => {
  it.each([
    ['an application', () => post('/operator/applications', application), 'applications', 'clientId'],
    ['an account', () => post('/operator/accounts', account('hedy')), 'accounts', 'actorId'],
  ])(
    'suspends and reinstates %s, once each, and is recorded with the reason',
    async (_what, make, noun, idName) => {
      const id = (await make()).body[idName] ?? '';
      const stream = noun === 'accounts' ? streams.account(id) : streams.application(id);
      const changeState = (act: string) => post(`/operator/${noun}/${id}/${act}`, { reason: `we ${act} it` });
      expect(await changeState('reinstate')).toMatchObject({
        status: 200,
        body: { changed: false, revision: 1 },
      });
      for (const [act, revision] of [
        ['suspend', 2],
        ['reinstate', 3],
      ] as const) {
        expect(await changeState(act)).toMatchObject({ status: 200, body: { changed: true, revision } });
        expect(await changeState(act)).toMatchObject({ status: 200, body: { changed: false, revision } });
        const newest = (await network.log().read(stream)).at(-1);
        expect(newest?.event.type).toBe(`${noun.slice(0, -1)}.${act}${act === 'suspend' ? 'ed' : 'd'}`);
        expect(newest?.metadata).toMatchObject({ operator: 'grace', reason: `we ${act} it` });
      }
      expect(await network.log().read(stream)).toHaveLength(3);
    },
  );

  it.each([
    ['an application', () => post('/operator/applications', application), 'applications', 'clientId'],
    ['an account', () => post('/operator/accounts', account('annie')), 'accounts', 'actorId'],
  ])(
    'does not change %s whose lifecycle revision is not the expected one',
    async (_what, make, noun, idName) => {
      const path = `/operator/${noun}/${(await make()).body[idName] ?? ''}`;
      const changeState = (act: string, revision: unknown) =>
        post(`${path}/${act}`, { reason: 'we saw it', revision });
      const stale = { status: 409, body: { error: 'lifecycle_revision_conflict' } };
      const present = (revision: number, state: string) => ({
        ...stale,
        body: {
          ...stale.body,
          message: expect.stringContaining(`lifecycle revision is now ${revision} (${state})`),
        },
      });
      expect(await changeState('suspend', 2)).toMatchObject(present(1, 'active'));
      expect(await changeState('suspend', 1)).toMatchObject({
        status: 200,
        body: { changed: true, revision: 2 },
      });
      // The state is the requested one, but another operator's act brought it about.
      expect(await changeState('suspend', 1)).toMatchObject(present(2, 'suspended'));
      const answers = await Promise.all(Array.from({ length: 4 }, () => changeState('reinstate', 2)));
      expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
      expect(answers.filter(({ status }) => status === 409)).toHaveLength(3);
      for (const bad of [0, -1, 1.5, '3', null])
        expect(await changeState('suspend', bad)).toMatchObject({
          status: 400,
          body: { error: 'invalid_request' },
        });
    },
  );
});

describe("an application's secret", () => {
  const HOUR = 60 * 60_000;

  async function newApplication() {
    const { body } = await post('/operator/applications', application);
    return { clientId: body['clientId'] ?? '', clientSecret: body['clientSecret'] ?? '' };
  }

  async function rotate(clientId: string, overlapMs: number) {
    const { status, body } = await post(`/operator/applications/${clientId}/rotate-secret`, { overlapMs });
    expect(status).toBe(200);
    return body as unknown as { clientId: string; clientSecret: string; previousUntil: number };
  }

  async function isAccepted(clientId: string, clientSecret: string): Promise<boolean> {
    const client = await discover(network, { clientId, clientSecret });
    return (await errorOf(isLive(client, 'nothing'))) === undefined;
  }

  /** Expiry of each secret in Unix milliseconds, in order; null: none. */
  async function expiriesOf(clientId: string): Promise<readonly (number | null)[]> {
    const rows = await network.database().dataSource.query<{ ms: string | null }[]>(
      `SELECT (extract(epoch FROM expires_at) * 1000)::bigint AS ms FROM authority.client_secret
         WHERE app_id = $1 ORDER BY expires_at`,
      [clientId],
    );
    return rows.map(({ ms }) => (ms === null ? null : Number(ms)));
  }

  it('stays valid beside the new one for the chosen overlap', async () => {
    const { clientId, clientSecret } = await newApplication();
    const before = Date.now();
    const rotated = await rotate(clientId, HOUR);
    expect(rotated.clientId).toBe(clientId);
    expect(rotated.previousUntil).toBeGreaterThanOrEqual(before + HOUR);
    expect(rotated.previousUntil).toBeLessThanOrEqual(Date.now() + HOUR);
    expect(await isAccepted(clientId, clientSecret)).toBe(true);
    expect(await isAccepted(clientId, rotated.clientSecret)).toBe(true);
    expect(await expiriesOf(clientId)).toEqual([rotated.previousUntil, null]);
    const recorded = (await network.log().read(streams.application(clientId))).at(-1);
    expect(recorded?.event).toEqual({
      type: 'application.secret_rotated',
      data: { appId: clientId, previousUntil: rotated.previousUntil, at: rotated.previousUntil - HOUR },
    });
  });

  it('ends at once with an overlap of 0', async () => {
    const { clientId, clientSecret } = await newApplication();
    const rotated = await rotate(clientId, 0);
    expect(await isAccepted(clientId, clientSecret)).toBe(false);
    expect(await isAccepted(clientId, rotated.clientSecret)).toBe(true);
    expect(await expiriesOf(clientId)).toEqual([null]);
  });

  it('of an earlier rotation can end sooner by a later rotation, and never later', async () => {
    const { clientId } = await newApplication();
    await rotate(clientId, 24 * HOUR);
    const { previousUntil: sooner } = await rotate(clientId, HOUR);
    expect(await expiriesOf(clientId)).toEqual([sooner, sooner, null]);
    const { previousUntil: later } = await rotate(clientId, 24 * HOUR);
    expect(await expiriesOf(clientId)).toEqual([sooner, sooner, later, null]);
  });

  it('is the last of several concurrent rotations without overlap', async () => {
    const { clientId } = await newApplication();
    const made = await Promise.all([1, 2, 3, 4].map(() => rotate(clientId, 0)));
    expect(await expiriesOf(clientId)).toEqual([null]);
    const open = await Promise.all(made.map(({ clientSecret }) => isAccepted(clientId, clientSecret)));
    expect(open.filter(Boolean)).toHaveLength(1);
  });

  it('does not change while the log is unavailable', async () => {
    const { clientId, clientSecret } = await newApplication();
    await network.eventStore.stop();
    const refused = await post(`/operator/applications/${clientId}/rotate-secret`, { overlapMs: 0 });
    await network.eventStore.start();
    expect(refused).toMatchObject({ status: 503, body: { error: 'domain_storage_unavailable' } });
    expect(await expiriesOf(clientId)).toEqual([null]);
    expect(await isAccepted(clientId, clientSecret)).toBe(true);
  });
});
