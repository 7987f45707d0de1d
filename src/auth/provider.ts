import type { EventEmitter } from 'node:events';
import type { CommandBus } from '@nestjs/cqrs';
import { Provider } from 'oidc-provider';
import type { KoaContextWithOIDC } from 'oidc-provider';
import type { Logger } from 'pino';
import type { AuthorityStore } from '../store/authority/authority-store.js';
import type { AuthKeys } from './keys.js';
import { renderFault } from './pages/fault.page.js';
import { renderSignedOut, renderSignOut } from './pages/sign-out.page.js';
import { answerFaults } from './protocol/answer-faults.js';
import { findAccount } from './protocol/claims.js';
import { publishedMetadata } from './protocol/discovery.js';
import { noCrossOrigin } from './protocol/no-cross-origin.js';
import { prompts } from './protocol/interaction-policy.js';
import { policy } from './protocol/policy.js';
import { preciseFault } from './protocol/precise-fault.js';
import { routes } from './protocol/routes.js';
import { scriptlessPages } from './protocol/scriptless-pages.js';
import { isClientGone } from './protocol/client-gone.js';
import { countRefused } from './protocol/refused-credentials.js';
import { signNobodyOut } from './protocol/sign-nobody-out.js';
import { staySignedIn } from './protocol/stay-signed-in.js';
import { tokenTransaction } from './protocol/token-transaction.js';
import { userinfoAuthority } from './protocol/userinfo-authority.js';
import type { RefusedCredentials } from '../limits/refused-credentials.js';
import type { AuthSettings } from './settings.js';
import { cookieNames } from './sign-in/cookie-names.js';
import { adapters } from './storage/adapters.js';
import { compareSecretHashes } from './storage/client-secret.js';
import { TokenRequestUnitOfWork } from './storage/token-request-unit-of-work.js';
import { replaceSessionsWhole } from './storage/session-identifiers.js';

export function createProvider(
  settings: AuthSettings,
  keys: AuthKeys,
  store: AuthorityStore,
  commands: CommandBus,
  logger: Logger,
  refused: RefusedCredentials,
): Provider {
  const { issuer, baseUrl } = settings;
  const rules = policy(baseUrl, keys.pairwise);
  const provider = new Provider(issuer, {
    ...rules,
    adapter: adapters(store, commands, (uid) => `${issuer}${routes.authorization}/${uid}`),
    jwks: keys.signing,
    cookies: { keys: [keys.cookies], names: cookieNames(baseUrl), long: cookie, short: cookie },
    findAccount: (ctx, actorId) =>
      findAccount(store, actorId, TokenRequestUnitOfWork.of(ctx.req)?.isOf(actorId) ?? false),
    interactions: {
      policy: prompts(store),
      url: (_ctx, interaction) => `${issuer}/interaction/${interaction.uid}`,
    },
    renderError: (ctx, _out, error) => renderFault(ctx, preciseFault(ctx, error) ?? error),
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
  replaceSessionsWhole(provider, store);
  const koa: EventEmitter = provider;
  koa.on('error', (error: unknown, context?: Pick<KoaContextWithOIDC, 'req'>) => {
    if (context && isClientGone(error, context.req))
      logger.debug('client disconnected before its answer was sent');
    else logger.error({ err: error }, 'could not send an answer');
  });
  provider.use(noCrossOrigin);
  provider.use(answerFaults(provider, logger));
  provider.use(countRefused(refused));
  provider.use(tokenTransaction(store, commands));
  provider.use(userinfoAuthority(store));
  provider.use(publishedMetadata);
  provider.use(scriptlessPages);
  provider.use(staySignedIn(baseUrl));
  provider.use(signNobodyOut);
  return provider;
}

const cookie = { httpOnly: true, sameSite: 'lax' } as const;
