import type { DomainEvent, EventTime } from '../event.js';

export type ApplicationRegistered = DomainEvent<
  'application.registered',
  {
    readonly appId: string;
    readonly name: string;
    readonly redirectUris: readonly string[];
    readonly postLogoutRedirectUris: readonly string[];
    readonly scopes: readonly string[];
  } & EventTime
>;

export type ApplicationSuspended = DomainEvent<
  'application.suspended',
  { readonly appId: string } & EventTime
>;

export type ApplicationReinstated = DomainEvent<
  'application.reinstated',
  { readonly appId: string } & EventTime
>;

/** The event does not hold the secret. Previous secrets stay valid until `previousUntil` (Unix ms) at most. */
export type ApplicationSecretRotated = DomainEvent<
  'application.secret_rotated',
  { readonly appId: string; readonly previousUntil: number } & EventTime
>;
