import { streams } from '../../log/streams.js';
import type { WriteSide } from '../support/write-side.js';
import type { AddressHolder } from './addresses.js';

const GIVEN_UP_MS = 7 * 24 * 60 * 60_000;
/** More events than the limits of mails allow in that time. */
const MAX_EVENTS = 1_000;

/**
 * The verified address of the account, and those that it gave up in the last seven days: who took the account over by
 * another address cannot keep its person from learning of it.
 */
export async function addressesToNotify(
  write: WriteSide,
  { actorId, email, isVerified }: AddressHolder,
): Promise<Set<string>> {
  const past = await write.log.read(streams.access(actorId), { direction: 'backwards', limit: MAX_EVENTS });
  const since = write.now() - GIVEN_UP_MS;
  const givenUp = past.flatMap(({ event, erased }) =>
    event.type === 'account.address_changed' && event.data.wasVerified && event.data.at > since && !erased
      ? [event.data.previous]
      : [],
  );
  return new Set([...(isVerified ? [email] : []), ...givenUp]);
}
