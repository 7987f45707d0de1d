import type { DomainEvent, EventTime } from '../event.js';

export type RegistrationOpened = DomainEvent<'registration.opened', EventTime>;

export type RegistrationClosed = DomainEvent<'registration.closed', EventTime>;

export type RegistrationEvent = RegistrationOpened | RegistrationClosed;
