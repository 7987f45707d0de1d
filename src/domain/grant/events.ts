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

export type GrantRevoked = DomainEvent<
  'grant.revoked',
  {
    readonly grantId: string;
    readonly appId: string;
    readonly actorId: string;
    readonly cause: 'client' | 'person' | 'operator' | 'reuse';
  } & Occurrence
>;
