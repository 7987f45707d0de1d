import type { DomainEvent, EventTime } from '../event.js';

export type GrantIssued = DomainEvent<
  'grant.issued',
  {
    readonly grantId: string;
    readonly appId: string;
    readonly actorId: string;
    readonly scopes: readonly string[];
  } & EventTime
>;

export type GrantRefreshed = DomainEvent<
  'grant.refreshed',
  { readonly grantId: string; readonly appId: string; readonly actorId: string } & EventTime
>;

/** A single-use code or token was used again, so an attacker may hold a copy. The revocation is in the same append. */
export type GrantReuseDetected = DomainEvent<
  'grant.reuse_detected',
  {
    readonly grantId: string;
    readonly appId: string;
    readonly actorId: string;
    readonly of: 'authorization_code' | 'refresh_token';
  } & EventTime
>;

/** Always the last event of its stream, so that the newest event shows whether the grant is active. */
export type GrantRevoked = DomainEvent<
  'grant.revoked',
  {
    readonly grantId: string;
    readonly appId: string;
    readonly actorId: string;
    readonly cause: 'client' | 'person' | 'operator' | 'reuse';
  } & EventTime
>;
