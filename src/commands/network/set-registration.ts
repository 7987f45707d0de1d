import { Command } from '@nestjs/cqrs';
import { closeRegistration, openRegistration } from '../../domain/registration/registration.js';
import type { EventMetadata } from '../../log/recorded.js';
import { aggregates } from '../support/aggregates.js';
import { handles } from '../support/handles.js';
import type { ChangeResult } from '../support/write-side.js';

/**
 * Opens or closes registration, effective on the next request to any process. Idempotent.
 * @throws errors of log and store.
 */
export class SetRegistration extends Command<ChangeResult> {
  constructor(
    readonly to: 'open' | 'closed',
    readonly metadata: EventMetadata,
  ) {
    super();
  }
}

export const setRegistrationHandler = handles(SetRegistration, ({ to, metadata }, write) => {
  const decide = to === 'open' ? openRegistration : closeRegistration;
  return write.project(aggregates.registration(), metadata, (current) => decide(current, write.now()));
});
