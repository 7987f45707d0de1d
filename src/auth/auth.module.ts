import { randomBytes } from 'node:crypto';
import { Module } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import type { Logger } from 'pino';
import { Clock, IdGenerator } from '../commands/support/clock-and-ids.js';
import { ChangePasswordHandler } from '../commands/account/change-password.js';
import { CreateAccountHandler } from '../commands/account/create-account.js';
import { EraseAccountHandler } from '../commands/account/erase-account.js';
import { ErasureSteps } from '../commands/account/erasure-steps.js';
import { HandleDigest } from '../commands/support/handle-digest.js';
import { IssueGrantHandler } from '../commands/grant/issue-grant.js';
import { RecordReadModelOperationHandler } from '../commands/network/record-read-model-operation.js';
import { BeginBackupHandler } from '../commands/network/begin-backup.js';
import { RecordRestoreHandler } from '../commands/network/record-restore.js';
import { PausePublishingHandler, ResumePublishingHandler } from '../commands/network/pause-publishing.js';
import { CancelErasureHandler, RequestErasureHandler } from '../commands/account/plan-erasure.js';
import { ReadModels } from '../commands/account/read-models.js';
import { RefreshGrantHandler } from '../commands/grant/refresh-grant.js';
import { RegisterApplicationHandler } from '../commands/application/register-application.js';
import { RevokeGrantHandler } from '../commands/grant/revoke-grant.js';
import { RevokeGrantsHandler } from '../commands/grant/revoke-grants.js';
import { RotateClientSecretHandler } from '../commands/application/rotate-client-secret.js';
import { RotateSigningKeyHandler } from '../commands/network/rotate-signing-key.js';
import { SignOutEverywhereHandler } from '../commands/account/sign-out-everywhere.js';
import { SigningKeys } from '../commands/network/signing-keys.js';
import { ReinstateAccountHandler, SuspendAccountHandler } from '../commands/account/suspend-account.js';
import {
  ReinstateApplicationHandler,
  SuspendApplicationHandler,
} from '../commands/application/suspend-application.js';
import { Config } from '../config/config.js';
import { limits } from '../config/limit-settings.js';
import { LOGGER } from '../config/logger.js';
import { TrustedProxies } from '../config/trusted-proxies.js';
import { EventLog } from '../log/event-log.js';
import { KeyVault } from '../log/vault/key-vault.js';
import { NetworkSecrets } from '../log/vault/network-secrets.js';
import { AuthorityStore } from '../store/authority/authority-store.js';
import { Postgres } from '../store/postgres.js';
import { AuthorizationServer } from './authorization-server.js';
import { loadStaticKeys } from './keys.js';
import type { AuthKeys } from './keys.js';
import { pageProviders } from './page-providers.js';
import { Passwords } from './passwords.js';
import { RefusedCredentials } from '../limits/refused-credentials.js';
import { createProvider } from './provider.js';
import { AuthSettings } from './settings.js';
import { keySet } from './signing-keys.js';
import type { KeySet } from './signing-keys.js';
import { VaultSigningKeys } from './signing-keys-vault.js';
import { SigningKeyWatch } from './signing-keys-watch.js';
import { CsrfProtection } from './sign-in/csrf-protection.js';
import { LocalSignIn } from './sign-in/local.strategy.js';
import { signIn } from './sign-in/sign-in.js';
import { SignInLimits } from './sign-in/sign-in-limits.js';
import { ExpiredRecords } from './storage/expired-records.js';

const KEYS = Symbol('AuthKeys');

type CreateProvider = (signing: KeySet) => ReturnType<typeof createProvider>;
const CREATE_PROVIDER = Symbol('SetUp');

/**
 * Accounts, applications, grants and the authorization server; `mountAuthorizationServer` adds its routes. A global
 * module must provide the injected tokens and `CqrsModule.forRoot()`.
 */
@Module({
  providers: [
    CreateAccountHandler,
    SuspendAccountHandler,
    ReinstateAccountHandler,
    EraseAccountHandler,
    RequestErasureHandler,
    CancelErasureHandler,
    ChangePasswordHandler,
    SignOutEverywhereHandler,
    RegisterApplicationHandler,
    SuspendApplicationHandler,
    ReinstateApplicationHandler,
    RotateClientSecretHandler,
    IssueGrantHandler,
    RefreshGrantHandler,
    RevokeGrantHandler,
    RevokeGrantsHandler,
    RotateSigningKeyHandler,
    BeginBackupHandler,
    RecordRestoreHandler,
    RecordReadModelOperationHandler,
    PausePublishingHandler,
    ResumePublishingHandler,
    Passwords,
    {
      provide: HandleDigest,
      useFactory: (secrets: NetworkSecrets) => new HandleDigest(secrets),
      inject: [NetworkSecrets],
    },
    {
      provide: ErasureSteps,
      useFactory: (...parts: ConstructorParameters<typeof ErasureSteps>) => new ErasureSteps(...parts),
      inject: [EventLog, KeyVault, AuthorityStore, ReadModels, CommandBus, Clock, IdGenerator],
    },
    {
      provide: SigningKeys,
      useFactory: (secrets: NetworkSecrets) => new VaultSigningKeys(secrets),
      inject: [NetworkSecrets],
    },
    {
      provide: KEYS,
      useFactory: async (
        secrets: NetworkSecrets,
        signing: VaultSigningKeys,
        clock: Clock,
      ): Promise<AuthKeys> => ({
        ...(await loadStaticKeys(secrets)),
        signing: keySet(await signing.ring(), clock.now()),
      }),
      inject: [NetworkSecrets, SigningKeys, Clock],
    },
    {
      provide: CREATE_PROVIDER,
      useFactory:
        (...[settings, keys, ...parts]: Parameters<typeof createProvider>): CreateProvider =>
        (signing) =>
          createProvider(settings, { ...keys, signing }, ...parts),
      inject: [AuthSettings, KEYS, AuthorityStore, CommandBus, LOGGER, RefusedCredentials],
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
              },
        ),
      inject: [Postgres, NetworkSecrets, Config],
    },
    {
      provide: LocalSignIn,
      useFactory: (store: AuthorityStore, passwords: Passwords) =>
        new LocalSignIn((handle, password) => signIn(store, passwords, handle, password)),
      inject: [AuthorityStore, Passwords],
    },
    ...pageProviders,
  ],
  exports: [Passwords],
})
export class AuthModule {}
