import { Refusal } from '../refusal.js';
import type { Decision } from '../refusal.js';
import type { GrantIssued, GrantRevoked } from './events.js';
import { canonical } from './scopes.js';

export type GrantEvent = GrantIssued | GrantRevoked;

/** What an application may do for an actor. Its scopes never change: another consent is another grant. */
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

export function evolveGrant(grant: Grant, event: GrantEvent): Grant {
  switch (event.type) {
    case 'grant.issued': {
      const { grantId, appId, actorId, scopes } = event.data;
      return { status: 'live', grantId, appId, actorId, scopes };
    }
    case 'grant.revoked':
      return grant.status === 'none' ? grant : { ...grant, status: 'revoked' };
  }
}

/** What a person consented to, and the widest set that the application may be given (none: it may be given nothing). */
export interface Consent {
  readonly grantId: string;
  readonly appId: string;
  readonly actorId: string;
  readonly scopes: readonly string[];
  readonly allowed: readonly string[];
  readonly at: number;
}

/** Repeating the same consent changes nothing; a grant that is there is never altered. */
export function issueGrant(grant: Grant, consent: Consent): Decision<GrantIssued> {
  const { grantId, appId, actorId, at } = consent;
  const scopes = canonical(consent.scopes);
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

export interface Revocation {
  readonly cause: GrantRevoked['data']['cause'];
  readonly at: number;
}

export function revokeGrant(grant: Grant, { cause, at }: Revocation): Decision<GrantRevoked> {
  if (grant.status === 'none') return new Refusal('not_found', 'There is no such grant.');
  if (grant.status === 'revoked') return [];
  const { grantId, appId, actorId } = grant;
  return [{ type: 'grant.revoked', data: { grantId, appId, actorId, cause, at } }];
}
