import type { DomainEvent, Occurrence } from '../event.js';

export type ApplicationRegistered = DomainEvent<
  'application.registered',
  {
    readonly appId: string;
    readonly name: string;
    readonly redirectUris: readonly string[];
    readonly scopes: readonly string[];
  } & Occurrence
>;
