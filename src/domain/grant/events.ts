import type { DomainEvent, Occurrence } from '../event.js';

/** One application may act for one actor with exactly these scopes. Never altered: a new consent is a new grant. */
export type GrantIssued = DomainEvent<
  'grant.issued',
  {
    readonly grantId: string;
    readonly appId: string;
    readonly actorId: string;
    readonly scopes: readonly string[];
  } & Occurrence
>;

/** New tokens took the place of the old ones. */
export type GrantRefreshed = DomainEvent<
  'grant.refreshed',
  { readonly grantId: string; readonly appId: string; readonly actorId: string } & Occurrence
>;

/** What may be used once was used again, so that somebody has what is not theirs. The revocation comes with it. */
export type GrantReuseDetected = DomainEvent<
  'grant.reuse_detected',
  {
    readonly grantId: string;
    readonly appId: string;
    readonly actorId: string;
    readonly of: 'authorization_code' | 'refresh_token';
  } & Occurrence
>;

/** The last event of its stream, for good: whoever sees the newest event knows whether the grant lives. */
export type GrantRevoked = DomainEvent<
  'grant.revoked',
  {
    readonly grantId: string;
    readonly appId: string;
    readonly actorId: string;
    readonly cause: 'client' | 'person' | 'operator' | 'reuse';
  } & Occurrence
>;
