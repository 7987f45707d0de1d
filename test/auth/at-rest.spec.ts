import { randomBytes } from 'node:crypto';
import { readFileSync, readdirSync, realpathSync, statSync } from 'node:fs';
import { join, relative } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import * as oidc from 'openid-client';
import { Client } from 'pg';
import { readConfig } from '../../src/base/config/config.js';
import { operatorClient } from '../support/operator-client.js';
import { registerApplication } from '../support/api.js';
import { startNetwork } from '../support/network.js';
import type { TestNetwork } from '../support/network.js';
import { password } from './support/auth-network.js';
import { authorizationRequest, discover, errorOf, exchange } from './support/flow.js';
import { Visitor } from './support/visitor.js';

/** Planted in the stores, to show that the search finds them. */
const canaries = {
  eventStore: `canary${randomBytes(16).toString('hex')}`,
  table: `canary${randomBytes(16).toString('hex')}`,
  deleted: `canary${randomBytes(16).toString('hex')}`,
  refused: `canary${randomBytes(16).toString('hex')}`,
};

let network: TestNetwork;
let allRows: string;
let output: string;
/** All issued secrets that let their holder act for somebody, by name. */
const issued = new Map<string, string>();

beforeAll(async () => {
  network = await startNetwork({ LOG_LEVEL: 'debug' });
  const databases = await connectAll();
  await useEveryFeature();
  await leaveCanaries(databases);
  allRows = await rowsOf(databases);
  for (const database of databases) await database.end();
  // Postgres writes everything to its files when it stops. A running one may replace files during the search.
  await network.halt();
  output = network.output();
});

afterAll(() => network?.stop());

async function connectAll(): Promise<readonly Client[]> {
  const urls = [network.env['DATABASE_URL'], network.env['VAULT_DATABASE_URL']];
  const clients = urls.map((connectionString) => new Client({ connectionString }));
  for (const client of clients) await client.connect();
  return clients;
}

/** Uses every feature that issues a secret, and leaves some flows unfinished. */
async function useEveryFeature(): Promise<void> {
  const application = await registerApplication(network, canaries.eventStore);
  issued.set('client secret', application.clientSecret).set('password', password);
  const operator = operatorClient(readConfig(network.env));
  for (const handle of ['ada', 'bob'])
    await operator.post('accounts', {
      handle,
      displayName: handle,
      email: `${handle}@example.org`,
      password,
    });
  const client = await discover({ issuer: `${network.baseUrl}/api/auth` }, application);
  const visitor = new Visitor(network.baseUrl);
  const signIn = async (handle: string, changes: Readonly<Record<string, string>> = {}) => {
    const attempt = await authorizationRequest(client, 'openid offline_access read', changes);
    const page = await visitor.open(attempt.url);
    remember(`interaction of ${handle}`, /\/interaction\/([^/?]+)/.exec(page.url)?.[1]);
    const consent = await visitor.submit(page, { handle, password });
    const callback = new URL((await visitor.submit(consent, { decision: 'allow' })).url);
    remember(`code of ${handle}`, callback.searchParams.get('code'));
    remember(`verifier of ${handle}`, attempt.verifier);
    const tokens = await exchange(client, callback, attempt);
    remember(`access token of ${handle}`, tokens.access_token);
    remember(`refresh token of ${handle}`, tokens.refresh_token);
    remember(`ID token of ${handle}`, tokens.id_token);
    return tokens;
  };
  const first = await signIn('ada');
  const refreshed = await oidc.refreshTokenGrant(client, first.refresh_token ?? '');
  remember('refreshed access token', refreshed.access_token);
  remember('refreshed refresh token', refreshed.refresh_token);
  remember('refreshed ID token', refreshed.id_token);
  expect(await errorOf(oidc.refreshTokenGrant(client, first.refresh_token ?? ''))).toBeDefined();
  await oidc.fetchUserInfo(
    client,
    (await signIn('bob', { prompt: 'login consent' })).access_token,
    oidc.skipSubjectCheck,
  );
  // Unfinished: a sign-in with an ID token as a hint, and a sign-out.
  const hint = { id_token_hint: first.id_token ?? '', prompt: 'login' };
  const open = await visitor.open((await authorizationRequest(client, 'openid', hint)).url);
  remember('open interaction', /\/interaction\/([^/?]+)/.exec(open.url)?.[1]);
  const signOut = await visitor.open(`${network.baseUrl}/api/auth/oauth2/end-session`);
  remember('secret of the sign-out form', signOut.forms[0]?.fields['xsrf']);
  for (const [index, value] of visitor.cookieValues.entries()) remember(`cookie ${index}`, value);
}

function remember(what: string, value: string | null | undefined): void {
  issued.set(what, value ?? '');
}

async function leaveCanaries([database]: readonly Client[]): Promise<void> {
  await database?.query('CREATE TABLE canary (value text)');
  await database?.query('INSERT INTO canary VALUES ($1), ($2)', [canaries.table, canaries.deleted]);
  await database?.query('DELETE FROM canary WHERE value = $1', [canaries.deleted]);
  const refused = database?.query('INSERT INTO authority.account VALUES ($1, NULL, $1, $1, $2, 0, 0)', [
    canaries.refused,
    'none',
  ]);
  await expect(refused).rejects.toThrow('violates check constraint');
}

/** All files below a directory. Follows links: the embedded Postgres may be elsewhere. */
function filesIn(directory: string): string[] {
  return readdirSync(directory).flatMap((name) => {
    const path = join(directory, name);
    const found = statSync(path, { throwIfNoEntry: false });
    if (found?.isDirectory()) return filesIn(realpathSync(path));
    return found?.isFile() ? [path] : [];
  });
}

/** The value as text, as `bytea` and as base64 in logs. */
const encodingsOf = (value: string) => [
  value,
  Buffer.from(value).toString('hex'),
  Buffer.from(value).toString('base64').replace(/=+$/, ''),
];

/** Each value and the file where it was found: `name in file`. */
function search(values: ReadonlyMap<string, string>): string[] {
  const hits = [];
  for (const file of filesIn(network.dataDir)) {
    const content = readFileSync(file);
    for (const [what, value] of values)
      if (encodingsOf(value).some((text) => content.includes(text)))
        hits.push(`${what} in ${relative(network.dataDir, file)}`);
  }
  return hits;
}

async function rowsOf(databases: readonly Client[]): Promise<string> {
  let everything = '';
  for (const database of databases) {
    const { rows } = await database.query<{ name: string }>(
      `SELECT format('%I.%I', schemaname, tablename) AS name FROM pg_tables
       WHERE schemaname NOT IN ('pg_catalog', 'information_schema')`,
    );
    for (const { name } of rows)
      everything += JSON.stringify((await database.query(`SELECT t::text FROM ${name} t`)).rows);
  }
  return everything;
}

describe('each issued secret', () => {
  it('is long enough to be searched for, and every kind is covered', () => {
    expect([...issued].filter(([, value]) => value.length < 20)).toEqual([]);
    expect([...issued.keys()].filter((what) => what.startsWith('cookie')).length).toBeGreaterThan(8);
    expect(issued.size).toBeGreaterThan(25);
  });

  it('is in no file of the stores: data, logs, old rows and write-ahead log', () => {
    expect(search(issued)).toEqual([]);
  });

  it('is in no table, whose rows may be compressed on disk', () => {
    const found = [...issued].filter(([, value]) =>
      encodingsOf(value).some((text) => allRows.includes(text)),
    );
    expect(found).toEqual([]);
    expect(allRows).toContain(canaries.table);
  });

  it('is in no log line, even at level debug', () => {
    expect(output).toContain('"serving"');
    expect([...issued].filter(([, value]) => output.includes(value))).toEqual([]);
  });

  it('is not quoted by the log of Postgres from a row that it refuses', () => {
    expect(output).toContain('violates check constraint');
    expect(output).not.toContain(canaries.refused);
  });

  it('would be found: the search finds canaries', () => {
    const hits = search(new Map(Object.entries(canaries)));
    for (const what of ['table in ', 'deleted in ', 'eventStore in '])
      expect(hits.filter((hit) => hit.startsWith(what))).not.toEqual([]);
    expect(hits.join('\n')).toMatch(/table in .*pg_wal/);
  });
});
