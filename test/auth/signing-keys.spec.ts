/**
 * One network whose keys rotate, case after case.
 *
 * @sample first
 */
import { createPublicKey, generateKeyPairSync, randomUUID, verify } from 'node:crypto';
import type { JsonWebKey } from 'node:crypto';
import { once } from 'node:events';
import { request } from 'node:http';
import type { IncomingMessage } from 'node:http';
import { json } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { CommandBus } from '@nestjs/cqrs';
import { Client } from 'pg';
import { SigningKeyWatch } from '../../src/doors/auth/signing-keys-watch.js';
import { PUBLISHED_BEFORE_USE_MS, readRing } from '../../src/doors/auth/signing-keys.js';
import type { ClientCredentials } from '../../src/commands/application/applications.js';
import { RotateSigningKey } from '../../src/commands/network/network.js';
import { SigningKeys } from '../../src/commands/network/signing-keys.js';
import { streams } from '../../src/log/streams.js';
import { loadLogKeys } from '../../src/log/vault/log-keys.js';
import { NetworkSecrets } from '../../src/log/vault/network-secrets.js';
import { Browser } from '../../src/programs/demo/browser.js';
import { foundNetwork } from '../../projections/incarnations/network-identity.js';
import { until } from '../support/until.js';
import { startAuthNetwork } from './support/auth-network.js';
import type { AnotherServer, AuthNetwork } from './support/auth-network.js';
import { connect, discover } from './support/flow.js';

const TOKEN_GONE_MS = 7 * 60_000;

let network: AuthNetwork;
let another: AnotherServer;
let ports: readonly number[];
let application: ClientCredentials;
let refreshToken: string;
let firstIdToken: string;

beforeAll(async () => {
  network = await startAuthNetwork({ hasOwnPostgres: true });
  await network.createAccount('ada');
  application = await network.registerApplication();
  const client = await discover(network, application);
  const connected = await connect(client, new Browser(network.baseUrl), 'ada');
  ({ refreshToken, idToken: firstIdToken } = connected);
  another = await network.startAnotherServer();
  ports = [network.config.port, another.port];
});

afterAll(async () => {
  await another?.close();
  await network?.stop();
});

/** Sends a request to one of the servers, as behind a load balancer. */
async function ask<Body>(port: number, method: string, path: string, form?: string): Promise<Body> {
  const { clientId, clientSecret } = application;
  const sent = request({
    method,
    host: '127.0.0.1',
    port,
    path: `/api/auth${path}`,
    auth: `${clientId}:${clientSecret}`,
    headers: {
      host: new URL(network.baseUrl).host,
      ...(form !== undefined && { 'content-type': 'application/x-www-form-urlencoded' }),
    },
  });
  sent.end(form);
  const [response] = (await once(sent, 'response')) as [IncomingMessage];
  return (await json(response)) as Body;
}

type Jwk = JsonWebKey & { readonly kid: string };

const published = async (port: number): Promise<readonly Jwk[]> =>
  (await ask<{ keys: Jwk[] }>(port, 'GET', '/jwks')).keys;

const kids = async (port: number) => (await published(port)).map(({ kid }) => kid);

async function newIdTokenAt(port: number): Promise<string> {
  const form = new URLSearchParams({ grant_type: 'refresh_token', refresh_token: refreshToken });
  const answered = await ask<{ id_token: string; refresh_token: string }>(
    port,
    'POST',
    '/oauth2/token',
    form.toString(),
  );
  refreshToken = answered.refresh_token;
  return answered.id_token;
}

function kidOf(token: string): string {
  const { kid } = JSON.parse(Buffer.from(token.split('.')[0] ?? '', 'base64url').toString()) as Jwk;
  return kid;
}

/** Verifies the token with the key that its header names. */
function isSignedBy(keys: readonly Jwk[], token: string): boolean {
  const [header = '', payload = '', signature = ''] = token.split('.');
  const key = keys.find(({ kid }) => kid === kidOf(token));
  return (
    key !== undefined &&
    verify(
      'sha256',
      Buffer.from(`${header}.${payload}`),
      createPublicKey({ key, format: 'jwk' }),
      Buffer.from(signature, 'base64url'),
    )
  );
}

/** Refreshes the keys of each server, as its timer does. */
async function refreshAllServers(): Promise<void> {
  for (const app of [network.app(), another.app]) await app.get(SigningKeyWatch).refresh();
}

const metadata = { requestId: randomUUID(), operator: 'grace', reason: 'it is time' };

const rotate = () => network.app().get(CommandBus).execute(new RotateSigningKey(metadata));

describe('a signing key', () => {
  it('from a vault of the first release still signs, under the same key id', async () => {
    const secrets = network.app().get(NetworkSecrets);
    const stored = await secrets.get('signing-keys', () => Promise.reject(new Error('there is no key')));
    const [key] = readRing(stored);
    const { kid, ...older } = key?.jwk ?? { kid: '' };
    const first = Buffer.from(JSON.stringify({ keys: [older] }));
    expect(await secrets.replace('signing-keys', stored, first)).toBe(true);
    expect(await secrets.replace('signing-keys', stored, first)).toBe(false);
    await network.restartServer();
    expect(await kids(network.config.port)).toEqual([kid]);
    expect(kidOf(firstIdToken)).toBe(kid);
    expect(isSignedBy(await published(network.config.port), firstIdToken)).toBe(true);
  });

  it('is not rotated in a log without a network, which could not record it', async () => {
    await expect(rotate()).rejects.toMatchObject({ code: 'recovery_state_missing' });
    expect(await network.app().get(SigningKeys).states(Date.now())).toHaveLength(1);
    expect(await network.log().read(streams.network())).toEqual([]);
  });

  it('is rotated once by concurrent requests, and recorded with operator and reason', async () => {
    await foundNetwork(network.log(), { uuid: randomUUID, networkId: () => 'n-1' }, Date.now);
    const answers = await Promise.all([rotate(), rotate(), rotate()]);
    expect(new Set(answers.map(({ keyId }) => keyId)).size).toBe(1);
    expect(answers.filter(({ changed }) => changed)).toHaveLength(1);
    expect(await rotate()).toEqual({ ...answers[0], changed: false });
    const [, rotated, ...others] = await network.log().read(streams.network());
    expect(others).toEqual([]);
    const { keyId, signsFrom } = answers[0] ?? {};
    expect(rotated?.event).toEqual({
      type: 'network.signing_key_rotated',
      data: { keyId, signsFrom, at: (signsFrom ?? 0) - PUBLISHED_BEFORE_USE_MS },
    });
    expect(rotated?.metadata).toMatchObject({ operator: 'grace', reason: 'it is time' });
  });

  it('is first published by every server, then signs on every server, and then the old one is removed', async () => {
    const { keyId: next } = await rotate();
    const old = kidOf(firstIdToken);
    for (const port of ports) {
      // Each server refreshes by its own timer.
      await until(async () => (await kids(port)).length === 2);
      expect(await kids(port)).toEqual([old, next]);
      expect(kidOf(await newIdTokenAt(port))).toBe(old);
    }
    const lastOfOld = await newIdTokenAt(another.port);

    network.advanceClock(PUBLISHED_BEFORE_USE_MS);
    await refreshAllServers();
    for (const port of ports) {
      const token = await newIdTokenAt(port);
      expect(kidOf(token)).toBe(next);
      for (const other of ports) {
        const keys = await published(other);
        expect(isSignedBy(keys, token)).toBe(true);
        expect(isSignedBy(keys, lastOfOld)).toBe(true);
      }
    }

    network.advanceClock(TOKEN_GONE_MS);
    await refreshAllServers();
    for (const port of ports) expect(await kids(port)).toEqual([next]);
  });

  it('starts to sign on time while the vault is unavailable', async () => {
    const { keyId: next } = await rotate();
    await refreshAllServers();
    await network.postgres.stop();
    network.advanceClock(PUBLISHED_BEFORE_USE_MS);
    await refreshAllServers();
    for (const port of ports) expect((await kids(port))[0]).toBe(next);
    await network.postgres.start();
    for (const port of ports) expect(kidOf(await newIdTokenAt(port))).toBe(next);
  });

  it('is published without its private parts', async () => {
    for (const key of await published(network.config.port))
      expect(Object.keys(key).toSorted()).toEqual(['alg', 'e', 'kid', 'kty', 'n', 'use']);
  });
});

describe('the log key', () => {
  const secrets = () => network.app().get(NetworkSecrets);
  const load = () => loadLogKeys(secrets(), 'plaza.example/log/1');
  const stored = () => secrets().get('log-keys', () => Promise.reject(new Error('there is no key')));

  it('is made once by processes that start at once', async () => {
    const vault = new Client(network.vaultDatabaseUrl);
    await vault.connect();
    await vault.query("DELETE FROM network_secret WHERE name = 'log-keys'");
    await vault.end();
    const loaded = await Promise.all(Array.from({ length: 8 }, load));
    expect(new Set(loaded.flatMap(({ verifierKeys }) => verifierKeys)).size).toBe(1);
    expect((await load()).verifierKeys).toEqual(loaded[0]?.verifierKeys);
  });

  it('signs together with the next one while both are in the vault', async () => {
    const { keys } = JSON.parse((await stored()).toString()) as { readonly keys: readonly JsonWebKey[] };
    const { privateKey } = generateKeyPairSync('ed25519');
    const both = Buffer.from(JSON.stringify({ keys: [...keys, privateKey.export({ format: 'jwk' })] }));
    expect(await secrets().replace('log-keys', await stored(), both)).toBe(true);
    const { signers, verifierKeys } = await load();
    expect(verifierKeys).toHaveLength(keys.length + 1);
    const [signer] = signers.slice(-1);
    const signature = signer?.sign(Buffer.from('text\n')) ?? Buffer.alloc(0);
    expect(verify(null, Buffer.from('text\n'), createPublicKey(privateKey), signature)).toBe(true);
  });

  it('is refused if the vault has something else, which is not shown', async () => {
    const before = await stored();
    const wrong = Buffer.from('{"keys":["secret"]}');
    await secrets().replace('log-keys', before, wrong);
    await expect(load()).rejects.toThrow(
      /^the log keys in the vault are invalid; expected a JSON object with Ed25519 keys$/,
    );
    await secrets().replace('log-keys', wrong, before);
  });
});
