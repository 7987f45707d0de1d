import type { CommandBus } from '@nestjs/cqrs';
import { errors } from 'oidc-provider';
import type { KoaContextWithOIDC } from 'oidc-provider';
import { RefreshGrant } from '../../commands/grant/refresh-grant.js';
import { RevokeGrant } from '../../commands/grant/revoke-grant.js';
import { Refusal } from '../../domain/refusal.js';
import type { AuthorityStore } from '../../store/authority/authority-store.js';
import { TokenRequestUnitOfWork } from '../storage/token-request-unit-of-work.js';
import type { Exchanged } from '../storage/token-request-unit-of-work.js';
import type { Form } from './form.js';
import { factsOf, metadataOf } from './request-facts.js';
import { routes } from './routes.js';
import { oidcContext } from './middleware.js';
import type { Middleware } from './middleware.js';

const transactional: ReadonlySet<string> = new Set([routes.token, routes.revocation]);

/** Thrown to undo, caught to answer. */
class Undone extends Error {}

/**
 * A token request happens as a whole or not at all: the old refresh token is spent if and only if the new one is kept.
 * The library answers only after this returns, so no client holds a token that was not committed, or a refreshed one
 * that the log does not know. A refusal commits, since it may have revoked a grant.
 */
export function tokenTransaction(store: AuthorityStore, commands: CommandBus): Middleware {
  return async (context, next) => {
    const ctx = oidcContext(context);
    if (!transactional.has(ctx.path)) return next();
    const { form, clientId = '' } = factsOf(ctx.req);
    const exchanged = ctx.path === routes.token ? exchangedBy(form) : undefined;
    try {
      await store.transaction(async () => {
        const dossier = exchanged && (await TokenRequestUnitOfWork.open(store, ctx.req, clientId, exchanged));
        await next();
        if (ctx.status >= 500) throw new Undone();
        if (!dossier) return;
        if (ctx.status >= 400) return await endWhereSpent(ctx, dossier, commands);
        await dossier.close(await recordRefresh(ctx, dossier, commands));
      });
    } catch (error) {
      if (!(error instanceof Undone)) throw error;
    }
  };
}

/** What of a token request is found under a value, and spent. */
function exchangedBy(form: Form): Exchanged | undefined {
  const grantType = form.get('grant_type');
  if (grantType === 'authorization_code') return { kind: 'AuthorizationCode', value: form.get('code') ?? '' };
  if (grantType === 'refresh_token') return { kind: 'RefreshToken', value: form.get('refresh_token') ?? '' };
  return undefined;
}

/**
 * Whatever else was wrong with the request: a code that was used before has been in other hands (RFC 6749, section
 * 4.1.2). The library ends the grant only where all else was right. Ending it again changes nothing.
 */
async function endWhereSpent(
  ctx: KoaContextWithOIDC,
  dossier: TokenRequestUnitOfWork,
  commands: CommandBus,
): Promise<void> {
  const isAuthenticated = ctx.oidc.client !== undefined && ctx.status !== 401;
  const grantId = isAuthenticated ? dossier.grantOfSpentCode() : undefined;
  if (grantId === undefined) return;
  const ending = { cause: 'reuse', of: 'authorization_code' } as const;
  await commands.execute(new RevokeGrant(grantId, ending, { ...metadataOf(ctx.req), grantId }));
}

/**
 * Answers the revision of the grant's stream: a grant that was never refreshed has one event.
 * @throws {errors.InvalidGrant} the log knows that the grant has ended, which the authority store does not yet.
 */
async function recordRefresh(
  ctx: KoaContextWithOIDC,
  dossier: TokenRequestUnitOfWork,
  commands: CommandBus,
): Promise<bigint> {
  const { RotatedRefreshToken: rotated } = ctx.oidc.entities;
  if (!rotated?.grantId) return 0n;
  const { grantId, accountId: actorId } = rotated;
  const metadata = { ...metadataOf(ctx.req), actorId, grantId };
  try {
    const refresh = new RefreshGrant(grantId, metadata, dossier.knownGrant(grantId));
    const { revision } = await commands.execute(refresh);
    return revision;
  } catch (error) {
    if (error instanceof Refusal) throw new errors.InvalidGrant(error.message);
    throw error;
  }
}
