import { randomBytes, randomUUID } from 'node:crypto';
import { afterAll } from '@jest/globals';
import { authorityEntities } from '../../src/base/store/authority/index.js';
import { AuthorityStore } from '../../src/base/store/authority/authority-store.js';
import { credentialHash } from '../../src/base/store/authority/credential-hash.js';
import { OidcRecordRow } from '../../src/base/store/authority/oidc-record.row.js';
import { openPostgres } from '../../src/base/store/postgres.js';
import { Clock, systemClock } from '../../src/base/support/clock.js';
import { IdGenerator, systemIds } from '../../src/base/support/id-generator.js';
import { CreateAccount } from '../../src/commands/account/create-account.js';
import { IssueGrant } from '../../src/commands/grant/grants.js';
import { ReservedHandles } from '../../src/domain/account/reserved-handles.js';
import { EventLog } from '../../src/log/event-log.js';
import { openLog } from '../../src/log/open-log.js';
import { KeyVault } from '../../src/log/vault/key-vault.js';
import { NetworkSecrets } from '../../src/log/vault/network-secrets.js';
import { holderOf } from './api.js';
import type { Application, SignedIn } from './api.js';
import { commandsOn } from './commands.js';
import type { Commands } from './commands.js';
import type { TestNetwork } from './network.js';
import { retryWhileUnavailable } from './retry-while-unavailable.js';

/** Of the password of all people of tests, with the cost of production. */
const passwordHash =
  '$argon2id$v=19$m=19456,t=2,p=1$5Lw896ITC4EKTlOPHA3lqw$tgEYDPTBKIhQe/RgRBCgyeGtX8Ay9SmSbqlVLEeg1UY';
const HOUR_MS = 3_600_000;

interface WriteStores {
  readonly commands: Commands;
  readonly store: AuthorityStore;
  close(): Promise<unknown>;
}

/** By the address of the log, which changes with a restart. */
const opened = new Map<string, Promise<WriteStores>>();

afterAll(async () => {
  const all = [...opened.values()];
  opened.clear();
  for (const stores of all) await (await stores).close();
});

async function openStores(env: NodeJS.ProcessEnv): Promise<WriteStores> {
  const { EVENTSTORE_URL = '', VAULT_DATABASE_URL = '', DATABASE_URL = '' } = env;
  const applicationName = 'people of tests';
  const [log, database] = await Promise.all([
    openLog({ eventStoreUrl: EVENTSTORE_URL, vaultDatabaseUrl: VAULT_DATABASE_URL, applicationName }),
    openPostgres({
      url: DATABASE_URL,
      entities: authorityEntities,
      migrations: [],
      applicationName,
      maxConnections: 2,
    }),
  ]);
  const store = new AuthorityStore(database.dataSource);
  const commands = commandsOn([
    [EventLog, log.log],
    [KeyVault, log.vault],
    [NetworkSecrets, log.secrets],
    [AuthorityStore, store],
    [ReservedHandles, new ReservedHandles([])],
    [Clock, systemClock],
    [IdGenerator, systemIds],
  ]);
  return { commands, store, close: () => Promise.all([log.close(), database.close()]) };
}

type NetworkAccess = Pick<TestNetwork, 'baseUrl' | 'env'>;

function storesOf({ env }: NetworkAccess): Promise<WriteStores> {
  const address = `${env['EVENTSTORE_URL']} ${env['DATABASE_URL']}`;
  const stores = opened.get(address) ?? openStores(env);
  opened.set(address, stores);
  return stores;
}

/**
 * A new person with a token of the application, made by the commands behind the pages of sign-up and consent. That takes a quarter of
 * {@link signIn}, which goes through these pages. The token is for the API alone: the authorization server knows no more of it.
 */
export async function personWithToken(
  network: NetworkAccess,
  application: Application,
  scope = 'openid read post:create',
): Promise<SignedIn> {
  const { commands } = await storesOf(network);
  const handle = `p_${randomBytes(5).toString('hex')}`;
  const account = {
    handle,
    displayName: `Person ${handle}`,
    email: `${handle}@example.org`,
    passwordHash,
    idempotencyKey: handle,
  };
  const { actorId } = await retryWhileUnavailable(() =>
    commands.execute(new CreateAccount(account, { requestId: randomUUID() })),
  );
  return consented(network, application, actorId, scope);
}

/** A token of the application for a person who is there, as {@link personWithToken} has one. */
export async function consented(
  network: NetworkAccess,
  { clientId }: Application,
  actorId: string,
  scope: string,
): Promise<SignedIn> {
  const { commands, store } = await storesOf(network);
  const [grantId, token] = [randomUUID(), randomBytes(32).toString('base64url')];
  const metadata = { requestId: randomUUID(), actorId, appId: clientId, grantId };
  await retryWhileUnavailable(() =>
    commands.execute(new IssueGrant(grantId, clientId, actorId, scope.split(' '), metadata)),
  );
  await store.db.insert(OidcRecordRow, {
    kind: 'AccessToken',
    keyHash: credentialHash(token),
    grantId,
    payload: {},
    expiresAt: new Date(Date.now() + HOUR_MS),
  });
  return holderOf(network, clientId, actorId, token);
}
