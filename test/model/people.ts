import { randomBytes, randomUUID } from 'node:crypto';
import { Client } from 'pg';
import { HandleDigest } from '../../src/commands/support/handle-digest.js';
import { allScopes } from '../../src/domain/grant/scopes.js';
import { openLog } from '../../src/log/open-log.js';
import type { StoredEvent } from '../../src/log/registry.js';
import { streams } from '../../src/log/streams.js';
import { credentialHash } from '../../src/base/store/authority/credential-hash.js';
import type { TestNetwork } from '../support/network.js';
import { until } from '../support/until.js';
import { retryWhileUnavailable } from '../support/retry-while-unavailable.js';

/** Somebody with a token for all scopes. */
export interface Person {
  readonly actorId: string;
  readonly handle: string;
  readonly token: string;
}

const APP = 'model';
const HOUR_MS = 3_600_000;

/**
 * Makes thousands of people: accounts and grants in the log, as sign-up and consent write them, and tokens in the
 * authority store, which otherwise only the sign-in pages make.
 */
export async function makePeople(network: TestNetwork, count: number): Promise<Person[]> {
  const { EVENTSTORE_URL = '', VAULT_DATABASE_URL = '', DATABASE_URL } = network.env;
  const opened = await openLog({
    eventStoreUrl: EVENTSTORE_URL,
    vaultDatabaseUrl: VAULT_DATABASE_URL,
    applicationName: 'model',
  });
  const digest = new HandleDigest(opened.secrets);
  const append = (stream: string, event: StoredEvent) => {
    const id = randomUUID();
    return retryWhileUnavailable(() =>
      opened.log.append({
        stream,
        expected: 'no_stream',
        events: [{ id, event }],
        metadata: { requestId: 'model' },
      }),
    );
  };
  const at = Date.now();
  const app = { appId: APP, name: 'Model', redirectUris: [], postLogoutRedirectUris: [], scopes: allScopes };
  await append(streams.application(APP), { type: 'application.registered', data: { ...app, at } });
  const people = Array.from({ length: count }, (_, n) => ({
    actorId: `person${n}`,
    handle: `person${n}`,
    token: randomBytes(32).toString('base64url'),
  }));
  const grantOf = ({ actorId }: Person) => `grant-${actorId}`;
  const waiting = people.values();
  const register = async () => {
    for (const person of waiting) {
      const { actorId, handle } = person;
      const account = { actorId, handle, displayName: handle, email: `${handle}@example.org`, at };
      await append(streams.handle(await digest.ofHandle(handle)), {
        type: 'handle.claimed',
        data: { actorId, at },
      });
      await append(streams.account(actorId), { type: 'account.registered', data: account });
      await append(streams.grant(grantOf(person)), {
        type: 'grant.issued',
        data: { grantId: grantOf(person), appId: APP, actorId, scopes: allScopes, at },
      });
    }
  };
  await Promise.all(Array.from({ length: 32 }, register));
  await opened.close();
  await giveTokens(
    DATABASE_URL ?? '',
    people.map((person) => ({ ...person, grantId: grantOf(person) })),
  );
  return people;
}

async function giveTokens(
  databaseUrl: string,
  people: readonly (Person & { readonly grantId: string })[],
): Promise<void> {
  const client = new Client(databaseUrl);
  await client.connect();
  await client.query(
    `INSERT INTO authority.oidc_record (kind, key_hash, grant_id, payload, expires_at)
    SELECT 'AccessToken', decode(key_hash, 'hex'), grant_id, '{}', $2
    FROM json_to_recordset($1) AS row(key_hash text, grant_id text)`,
    [
      JSON.stringify(
        people.map(({ token, grantId }) => ({
          key_hash: credentialHash(token).toString('hex'),
          grant_id: grantId,
        })),
      ),
      new Date(Date.now() + HOUR_MS),
    ],
  );
  const granted = async () => {
    const { rows } = await client.query<{ count: string }>(
      `SELECT count(*) FROM authority.app_grant WHERE app_id = $1`,
      [APP],
    );
    return Number(rows[0]?.count) === people.length;
  };
  await until(granted, 60_000);
  await client.end();
}
