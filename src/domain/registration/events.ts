import { event } from '../event.js';
import type { EventIn } from '../event.js';

const nothing = event({});

export const registrationEvents = { 'registration.opened': nothing, 'registration.closed': nothing };

export type RegistrationEvent = EventIn<typeof registrationEvents>;
