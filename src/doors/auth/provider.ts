import type { EventEmitter } from 'node:events';
import type { CommandBus } from '@nestjs/cqrs';
import { Provider } from 'oidc-provider';
import type { KoaContextWithOIDC } from 'oidc-provider';
import type { Logger } from 'pino';
import type { Addresses } from '../../commands/account/addresses.js';
import type { AuthorityStore } from '../../base/store/authority/authority-store.js';
import type { AuthKeys } from './keys.js';
import { renderFault } from './pages/fault.page.js';
import { renderSignedOut, renderSignOut } from './pages/sign-out.page.js';
import { rewriteLibraryErrors } from './protocol/publish-errors.js';
import { findAccount } from './rules/claims.js';
import { correctDiscoveryMetadata } from './protocol/discovery.js';
import { removeCorsHeaders } from './protocol/remove-cors-headers.js';
import { promptPolicy } from './protocol/interaction-policy.js';
import { protocolConfiguration } from './rules/policy.js';
import { preciseFault } from './protocol/precise-fault.js';
import { routes } from './rules/routes.js';
import { scriptlessPages } from './protocol/scriptless-pages.js';
import { isClientDisconnect } from './rules/client-disconnect.js';
import { countRefusedCredentials } from './protocol/refused-credential-limit.js';
import { skipSignOutConfirmation } from './protocol/skip-sign-out-confirmation.js';
import { answerDeclinedSignOut } from './protocol/declined-sign-out.js';
import { limitUserinfo } from './protocol/token-limits.js';
import type { TokenLimits } from './protocol/token-limits.js';
import { tokenTransaction } from './protocol/token-transaction.js';
import { refuseSuspendedUserinfo } from './protocol/userinfo-authority.js';
import type { RefusedCredentials } from '../../server/limits/refused-credentials.js';
import type { AuthSettings } from './settings.js';
import { cookieNames } from './storage/cookie-names.js';
import { createAdapterFactory } from './storage/adapters.js';
import { compareSecretHashes } from './storage/client-secret.js';
import { TokenRequestUnitOfWork } from './storage/token-request-unit-of-work.js';
import { replaceSessionsAtomically } from './storage/session-replacement.js';

export function createProvider(
  settings: AuthSettings,
  keys: AuthKeys,
  store: AuthorityStore,
  commands: CommandBus,
  logger: Logger,
  refused: RefusedCredentials,
  limits: TokenLimits,
  addresses: Addresses,
): Provider {
  const { issuer, baseUrl, operatorContact } = settings;
  const showFault = (ctx: KoaContextWithOIDC, error: Error) => renderFault(ctx, error, operatorContact);
  const rules = protocolConfiguration(baseUrl, keys.pairwise);
  const provider = new Provider(issuer, {
    ...rules,
    adapter: createAdapterFactory(store, commands, (uid) => `${issuer}${routes.authorization}/${uid}`),
    jwks: keys.signing,
    cookies: { keys: [keys.cookies], names: cookieNames(baseUrl), long: cookie, short: cookie },
    findAccount: (ctx, actorId) =>
      findAccount(
        { store, addresses },
        actorId,
        TokenRequestUnitOfWork.of(ctx.req)?.isGrantOf(actorId) ?? false,
      ),
    interactions: {
      policy: promptPolicy(store),
      url: (_ctx, interaction) => `${issuer}/interaction/${interaction.uid}`,
    },
    renderError: (ctx, _out, error) => showFault(ctx, preciseFault(ctx, error) ?? error),
    features: {
      ...rules.features,
      rpInitiatedLogout: {
        enabled: true,
        logoutSource: renderSignOut,
        postLogoutSuccessSource: renderSignedOut,
      },
    },
  });
  // The library reads the scheme from proxy headers, which decides if cookies are Secure. protocol.routes.ts sets them.
  provider.proxy = true;
  compareSecretHashes(provider);
  replaceSessionsAtomically(provider, store);
  const koa: EventEmitter = provider;
  koa.on('error', (error: unknown, context?: Pick<KoaContextWithOIDC, 'req'>) => {
    if (context && isClientDisconnect(error, context.req))
      logger.debug('client disconnected before its answer was sent');
    else logger.error({ err: error }, 'could not send an answer');
  });
  provider.use(removeCorsHeaders);
  provider.use(rewriteLibraryErrors(provider, logger, showFault));
  provider.use(limitUserinfo(limits));
  provider.use(countRefusedCredentials(refused));
  provider.use(tokenTransaction(store, commands, limits));
  provider.use(refuseSuspendedUserinfo(store));
  provider.use(correctDiscoveryMetadata);
  provider.use(scriptlessPages);
  provider.use(answerDeclinedSignOut(baseUrl));
  provider.use(skipSignOutConfirmation);
  return provider;
}

const cookie = { httpOnly: true, sameSite: 'lax' } as const;
