import type { DomainEvent, EventTime } from '../event.js';

/** From now on people create accounts for themselves, whatever `REGISTRATION` says. */
export type RegistrationOpened = DomainEvent<'registration.opened', EventTime>;

/** From now on only operators create accounts. */
export type RegistrationClosed = DomainEvent<'registration.closed', EventTime>;

export type RegistrationEvent = RegistrationOpened | RegistrationClosed;
