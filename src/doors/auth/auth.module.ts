import { randomBytes } from 'node:crypto';
import { Module } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import type { Logger } from 'pino';
import { Clock } from '../../base/support/clock.js';
import { IdGenerator } from '../../base/support/id-generator.js';
import { Addresses } from '../../commands/account/addresses.js';
import { CommandsModule } from '../../commands/commands.module.js';
import { SigningKeys } from '../../commands/network/signing-keys.js';
import { Config } from '../../base/config/config.js';
import { limits } from '../../base/config/limit-settings.js';
import { LOGGER } from '../../base/config/logger.js';
import { TrustedProxies } from '../../base/config/trusted-proxies.js';
import { NetworkSecrets } from '../../log/vault/network-secrets.js';
import { AuthorityStore } from '../../base/store/authority/authority-store.js';
import { Postgres } from '../../base/store/postgres.js';
import { AuthorizationServer } from './authorization-server.js';
import { loadStaticKeys } from './keys.js';
import type { AuthKeys } from './keys.js';
import { pageProviders } from './page-providers.js';
import { Passwords } from './passwords.js';
import { RefusedCredentials } from '../../server/limits/refused-credentials.js';
import { createProvider } from './provider.js';
import { TokenLimits } from './protocol/token-limits.js';
import { AuthSettings } from './settings.js';
import { keySetForProvider } from './signing-keys.js';
import type { KeySet } from './signing-keys.js';
import type { VaultSigningKeys } from './signing-keys-vault.js';
import { SigningKeyWatch } from './signing-keys-watch.js';
import { CsrfProtection } from './sign-in/csrf-protection.js';
import { LocalSignIn } from './sign-in/local.strategy.js';
import { verifyHandleAndPassword } from './sign-in/sign-in.js';
import { SignInLimits } from './sign-in/sign-in-limits.js';
import { ExpiredRecords } from './storage/expired-records.js';

const KEYS = Symbol('AuthKeys');

type CreateProvider = (signing: KeySet) => ReturnType<typeof createProvider>;
const CREATE_PROVIDER = Symbol('SetUp');

/**
 * The authorization server and its pages; `mountAuthorizationServer` adds the routes. A global module must provide the
 * injected tokens and `CqrsModule.forRoot()`.
 */
@Module({
  imports: [CommandsModule],
  providers: [
    Passwords,
    {
      provide: KEYS,
      useFactory: async (
        secrets: NetworkSecrets,
        signing: VaultSigningKeys,
        clock: Clock,
      ): Promise<AuthKeys> => ({
        ...(await loadStaticKeys(secrets)),
        signing: keySetForProvider(await signing.ring(), clock.now()),
      }),
      inject: [NetworkSecrets, SigningKeys, Clock],
    },
    {
      provide: CREATE_PROVIDER,
      useFactory:
        (...[settings, keys, ...parts]: Parameters<typeof createProvider>): CreateProvider =>
        (signing) =>
          createProvider(settings, { ...keys, signing }, ...parts),
      inject: [
        AuthSettings,
        KEYS,
        AuthorityStore,
        CommandBus,
        LOGGER,
        RefusedCredentials,
        TokenLimits,
        Addresses,
      ],
    },
    {
      provide: AuthorizationServer,
      useFactory: (createWith: CreateProvider, { signing }: AuthKeys) =>
        new AuthorizationServer(createWith(signing)),
      inject: [CREATE_PROVIDER, KEYS],
    },
    {
      provide: SigningKeyWatch,
      useFactory: (
        vault: VaultSigningKeys,
        clock: Clock,
        logger: Logger,
        { signing }: AuthKeys,
        server: AuthorizationServer,
        createWith: CreateProvider,
      ) =>
        new SigningKeyWatch(vault, clock, logger, signing, (keys) =>
          server.replaceProvider(createWith(keys)),
        ),
      inject: [SigningKeys, Clock, LOGGER, KEYS, AuthorizationServer, CREATE_PROVIDER],
    },
    {
      provide: ExpiredRecords,
      useFactory: (...parts: ConstructorParameters<typeof ExpiredRecords>) => new ExpiredRecords(...parts),
      inject: [AuthorityStore, Clock, LOGGER],
    },
    {
      provide: CsrfProtection,
      useFactory: (keys: AuthKeys, { baseUrl }: AuthSettings, ids: IdGenerator) =>
        new CsrfProtection(keys.forms, baseUrl, ids),
      inject: [KEYS, AuthSettings, IdGenerator],
    },
    {
      provide: RefusedCredentials,
      useFactory: async (
        { pool }: Postgres,
        secrets: NetworkSecrets,
        { trustedProxies, rateLimits }: Config,
      ) =>
        new RefusedCredentials(
          pool,
          await secrets.get('limit-keys', () => randomBytes(32)),
          new TrustedProxies(trustedProxies),
          rateLimits === 'off' ? 'off' : limits.refused.address,
        ),
      inject: [Postgres, NetworkSecrets, Config],
    },
    {
      provide: TokenLimits,
      useFactory: async (store: AuthorityStore, secrets: NetworkSecrets, { rateLimits }: Config) =>
        new TokenLimits(
          store,
          await secrets.get('limit-keys', () => randomBytes(32)),
          rateLimits === 'off' ? 'off' : { reads: limits.bearer.reads, refreshes: limits.refreshes.grant },
        ),
      inject: [AuthorityStore, NetworkSecrets, Config],
    },
    {
      provide: SignInLimits,
      useFactory: async (
        { pool }: Postgres,
        secrets: NetworkSecrets,
        { trustedProxies, rateLimits }: Config,
      ) =>
        new SignInLimits(
          pool,
          await secrets.get('limit-keys', () => randomBytes(32)),
          new TrustedProxies(trustedProxies),
          rateLimits === 'off'
            ? 'off'
            : {
                ...limits.signIn,
                ...limits.signedIn,
                'sign-up': limits.signUp.address,
                authorization: limits.authorization.address,
                mail: limits.mail.address,
              },
        ),
      inject: [Postgres, NetworkSecrets, Config],
    },
    {
      provide: LocalSignIn,
      useFactory: (store: AuthorityStore, passwords: Passwords) =>
        new LocalSignIn((handle, password) => verifyHandleAndPassword(store, passwords, handle, password)),
      inject: [AuthorityStore, Passwords],
    },
    ...pageProviders,
  ],
  exports: [Passwords],
})
export class AuthModule {}
