import { Refusal } from '../refusal.js';
import type { Decision } from '../refusal.js';
import type { GrantIssued, GrantRefreshed, GrantReuseDetected, GrantRevoked } from './events.js';
import { canonicalScopes } from './scopes.js';

export type GrantEvent = GrantIssued | GrantRefreshed | GrantReuseDetected | GrantRevoked;

export type Grant =
  | { readonly status: 'none' }
  | {
      readonly status: 'live' | 'revoked';
      readonly grantId: string;
      readonly appId: string;
      readonly actorId: string;
      readonly scopes: readonly string[];
    };

export const noGrant: Grant = { status: 'none' };

/**
 * The first and the newest event determine the state: {@link GrantRevoked} is always the last. A restored log may hold
 * the revocation alone: the grant cannot be issued again.
 */
export function evolveGrant(grant: Grant, event: GrantEvent): Grant {
  switch (event.type) {
    case 'grant.issued': {
      if (grant.status === 'revoked') return grant;
      const { grantId, appId, actorId, scopes } = event.data;
      return { status: 'live', grantId, appId, actorId, scopes };
    }
    case 'grant.refreshed':
    case 'grant.reuse_detected':
      return grant;
    case 'grant.revoked': {
      const { grantId, appId, actorId } = event.data;
      const scopes = grant.status === 'none' ? [] : grant.scopes;
      return { status: 'revoked', grantId, appId, actorId, scopes };
    }
  }
}

export interface Consent {
  readonly grantId: string;
  readonly appId: string;
  readonly actorId: string;
  readonly scopes: readonly string[];
  readonly allowed: readonly string[];
  readonly at: number;
}

/** Idempotent; an existing grant is never altered: a new consent is a new grant. */
export function issueGrant(grant: Grant, consent: Consent): Decision<GrantIssued> {
  const { grantId, appId, actorId, at } = consent;
  const scopes = canonicalScopes(consent.scopes);
  if (scopes.length === 0 || !scopes.every((scope) => consent.allowed.includes(scope)))
    return new Refusal('capability_required', 'The application is not registered for these scopes.');
  if (grant.status === 'none')
    return [{ type: 'grant.issued', data: { grantId, appId, actorId, scopes, at } }];
  const same =
    grant.status === 'live' &&
    grant.appId === appId &&
    grant.actorId === actorId &&
    grant.scopes.join(' ') === scopes.join(' ');
  return same ? [] : new Refusal('intent_conflict', 'This consent was already decided; ask for a new one.');
}

export function refreshGrant(
  newest: GrantEvent | undefined,
  { at }: { readonly at: number },
): Decision<GrantRefreshed> {
  if (newest === undefined || newest.type === 'grant.revoked')
    return new Refusal('not_found', 'The grant does not exist or has ended.');
  const { grantId, appId, actorId } = newest.data;
  return [{ type: 'grant.refreshed', data: { grantId, appId, actorId, at } }];
}

/** The revoking party, or the reused code or token, which revokes by itself (RFC 9700, section 4.14.2). */
export type RevocationCause =
  | { readonly cause: 'client' | 'person' | 'operator' }
  | { readonly cause: 'reuse'; readonly of: GrantReuseDetected['data']['of'] };

export type Revocation = RevocationCause & { readonly at: number };

/** Reuse of a code or token yields two events: its detection, then the revocation. A revoked grant yields none. */
export function revokeGrant(
  grant: Grant,
  revocation: Revocation,
): Decision<GrantReuseDetected | GrantRevoked> {
  if (grant.status === 'none') return new Refusal('not_found', 'There is no such grant.');
  if (grant.status === 'revoked') return [];
  const { grantId, appId, actorId } = grant;
  const { cause, at } = revocation;
  const revoked: GrantRevoked = { type: 'grant.revoked', data: { grantId, appId, actorId, cause, at } };
  if (revocation.cause !== 'reuse') return [revoked];
  const { of } = revocation;
  return [{ type: 'grant.reuse_detected', data: { grantId, appId, actorId, of, at } }, revoked];
}
