import { streams } from '../../log/streams.js';
import type { WriteSide } from '../support/write-side.js';
import type { AddressHolder } from './addresses.js';

const GIVEN_UP_MS = 7 * 24 * 60 * 60_000;
const PAGE = 100;

/**
 * The verified address of the account, and those that it gave up in the last seven days: who took the account over by
 * another address cannot keep its person from learning of it, however many events follow.
 */
export async function addressesToNotify(
  write: WriteSide,
  { actorId, email, isVerified }: AddressHolder,
): Promise<Set<string>> {
  const addresses = new Set(isVerified ? [email] : []);
  const since = write.now() - GIVEN_UP_MS;
  let from: bigint | undefined;
  for (;;) {
    const options = { direction: 'backwards', limit: PAGE, ...(from !== undefined && { from }) } as const;
    const page = await write.log.read(streams.access(actorId), options);
    for (const { event, erased } of page) {
      if (event.data.at <= since) return addresses;
      if (event.type === 'account.address_changed' && event.data.wasVerified && !erased)
        addresses.add(event.data.previous);
    }
    const last = page.at(-1);
    if (page.length < PAGE || !last || last.revision === 0n) return addresses;
    from = last.revision - 1n;
  }
}
