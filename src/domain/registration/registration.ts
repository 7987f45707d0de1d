import type { Decision } from '../refusal.js';
import type { RegistrationEvent } from './events.js';

/** `unset`: no operator has decided yet, so the setting `REGISTRATION` holds. */
export type Registration = 'unset' | 'open' | 'closed';

export const evolveRegistration = (_: Registration, { type }: RegistrationEvent): Registration =>
  type === 'registration.opened' ? 'open' : 'closed';

export const openRegistration = (registration: Registration, at: number): Decision<RegistrationEvent> =>
  registration === 'open' ? [] : [{ type: 'registration.opened', data: { at } }];

export const closeRegistration = (registration: Registration, at: number): Decision<RegistrationEvent> =>
  registration === 'closed' ? [] : [{ type: 'registration.closed', data: { at } }];
