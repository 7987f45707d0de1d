import type { CommandBus } from '@nestjs/cqrs';
import { errors } from 'oidc-provider';
import type { KoaContextWithOIDC } from 'oidc-provider';
import { RefreshGrant, RevokeGrant } from '../../../commands/grant/grants.js';
import { Refusal } from '../../../domain/refusal.js';
import type { AuthorityStore } from '../../../base/store/authority/authority-store.js';
import { TokenRequestUnitOfWork } from '../storage/token-request-unit-of-work.js';
import type { ExchangedCredential } from '../storage/token-request-unit-of-work.js';
import type { Form } from '../rules/form.js';
import { requestContextOf, protocolMetadata } from '../rules/request-context.js';
import { routes } from '../rules/routes.js';
import type { TokenLimits } from './token-limits.js';
import { oidcContext } from './middleware.js';
import type { Middleware } from './middleware.js';

const transactional: ReadonlySet<string> = new Set([routes.token, routes.revocation]);

class Rollback extends Error {}

/**
 * Makes a token request atomic: the old refresh token is spent if and only if the new one is stored. The library
 * answers after this middleware, so no client gets a token before its commit, or a refreshed one that the log lacks. A
 * refusal commits, since it may have revoked a grant.
 */
export function tokenTransaction(
  store: AuthorityStore,
  commands: CommandBus,
  limits: TokenLimits,
): Middleware {
  return async (context, next) => {
    const ctx = oidcContext(context);
    if (!transactional.has(ctx.path)) return next();
    const { form, clientId = '' } = requestContextOf(ctx.req);
    const exchanged = ctx.path === routes.token ? credentialOf(form) : undefined;
    try {
      await store.transaction(async () => {
        const unitOfWork =
          exchanged && (await TokenRequestUnitOfWork.open(store, ctx.req, clientId, exchanged));
        await next();
        if (ctx.status >= 500) throw new Rollback();
        if (!unitOfWork) return;
        if (ctx.status >= 400) return await endGrantOfReusedCode(ctx, unitOfWork, commands);
        await unitOfWork.commit(await recordRefresh(ctx, unitOfWork, commands, limits));
      });
    } catch (error) {
      if (!(error instanceof Rollback)) throw error;
    }
  };
}

function credentialOf(form: Form): ExchangedCredential | undefined {
  const grantType = form.get('grant_type');
  if (grantType === 'authorization_code') return { kind: 'AuthorizationCode', value: form.get('code') ?? '' };
  if (grantType === 'refresh_token') return { kind: 'RefreshToken', value: form.get('refresh_token') ?? '' };
  return undefined;
}

/**
 * Ends the grant of a reused code, which may be stolen (RFC 6749, section 4.1.2), even if the request has other errors.
 * The library ends it only without other errors. Ending it again changes nothing.
 */
async function endGrantOfReusedCode(
  ctx: KoaContextWithOIDC,
  unitOfWork: TokenRequestUnitOfWork,
  commands: CommandBus,
): Promise<void> {
  const isAuthenticated = ctx.oidc.client !== undefined && ctx.status !== 401;
  const grantId = isAuthenticated ? unitOfWork.grantOfSpentCode() : undefined;
  if (grantId === undefined) return;
  const ending = { cause: 'reuse', of: 'authorization_code' } as const;
  await commands.execute(new RevokeGrant(grantId, ending, { ...protocolMetadata(ctx.req), grantId }));
}

/**
 * Records a refresh in the log. Returns the revision of the grant's stream after it; 0 for the exchange of a code.
 * @throws {errors.InvalidGrant} the grant has ended in the log, and the authority store is behind.
 * @throws {Fault} `pilot_rate_limited`: too many refreshes of the grant. The refresh token stays usable.
 */
async function recordRefresh(
  ctx: KoaContextWithOIDC,
  unitOfWork: TokenRequestUnitOfWork,
  commands: CommandBus,
  limits: TokenLimits,
): Promise<bigint> {
  const { RotatedRefreshToken: rotated } = ctx.oidc.entities;
  if (!rotated?.grantId) return 0n;
  const { grantId, accountId: actorId } = rotated;
  await limits.takeRefresh(ctx, grantId);
  const metadata = { ...protocolMetadata(ctx.req), actorId, grantId };
  try {
    const refresh = new RefreshGrant(grantId, metadata, unitOfWork.grantAtIssue(grantId));
    const { revision } = await commands.execute(refresh);
    return revision;
  } catch (error) {
    if (error instanceof Refusal) throw new errors.InvalidGrant(error.message);
    throw error;
  }
}
