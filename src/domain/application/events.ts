import type { DomainEvent, Occurrence } from '../event.js';

export type ApplicationRegistered = DomainEvent<
  'application.registered',
  {
    readonly appId: string;
    readonly name: string;
    readonly redirectUris: readonly string[];
    readonly postLogoutRedirectUris: readonly string[];
    readonly scopes: readonly string[];
  } & Occurrence
>;

export type ApplicationSuspended = DomainEvent<
  'application.suspended',
  { readonly appId: string } & Occurrence
>;

export type ApplicationReinstated = DomainEvent<
  'application.reinstated',
  { readonly appId: string } & Occurrence
>;

/** No log holds the secret. Previous secrets stay valid until `previousUntil` (Unix ms). */
export type ApplicationSecretRotated = DomainEvent<
  'application.secret_rotated',
  { readonly appId: string; readonly previousUntil: number } & Occurrence
>;
