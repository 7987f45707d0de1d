import type { CommandBus } from '@nestjs/cqrs';
import { RevokeGrants } from '../../../commands/grant/revoke-grants.js';
import { Refusal } from '../../../domain/refusal.js';
import type { EventMetadata } from '../../../log/recorded.js';
import { isOutage } from '../../../log/witness/outage.js';

/**
 * Revokes all grants of a person. Returns false if the log lacks one of them: the others have ended, and a sign-out must go
 * on.
 */
export async function disconnectAll(
  commands: CommandBus,
  actorId: string,
  metadata: EventMetadata,
): Promise<boolean> {
  try {
    await commands.execute(new RevokeGrants({ cause: 'person', actorId }, metadata));
    return true;
  } catch (error) {
    if (error instanceof Refusal && error.code === 'not_found') return false;
    throw error;
  }
}

/** For `catch`, once a new password is set: the page must say so, and what is left to do. */
export function falseInOutage(error: unknown): false {
  if (isOutage(error)) return false;
  throw error;
}
