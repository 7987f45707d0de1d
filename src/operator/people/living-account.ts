import { HttpRefusal } from '../../server/errors.js';
import { idIn } from '../desk/schemas.js';
import type { ActServices } from '../desk/services.js';

const living = {
  name: 'account.living',
  text: `SELECT state FROM authority.account WHERE actor_id = $1 AND state <> 'erased'`,
};

/** The account that the address names. @throws {HttpRefusal} `not_found`: there is no such account, or it is erased. */
export async function livingAccountIn(
  params: Readonly<Record<string, string>>,
  { store }: Pick<ActServices, 'store'>,
): Promise<{ readonly actorId: string; readonly state: string }> {
  const actorId = idIn(params);
  const [account] = await store.rows<{ state: string }>(living, [actorId]);
  if (!account) throw new HttpRefusal('not_found', 'There is no such account, or it is erased.');
  return { actorId, state: account.state };
}
