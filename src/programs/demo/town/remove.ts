import { accountsWith, reasonOf, townActsOf } from './acts.js';
import type { DemoNetwork } from './network.js';
import { readTown, removeTownFiles } from './town-file.js';

/**
 * Erases the people of the town by one act, suspends its application, and forgets its passwords. Returns how many
 * are erased by it; undefined: there is no town.
 * @throws {AwaitsApproval} four-eyes is on: the same command finishes it after the erasure. {Failure}
 */
export async function removeTown({
  config: { dataDir },
  operator,
}: DemoNetwork): Promise<number | undefined> {
  const town = readTown(dataDir);
  if (!town) return undefined;
  const acts = townActsOf(operator);
  const reason = reasonOf(town);
  const actorIds = await accountsWith(acts, reason);
  const { erased } =
    actorIds.length === 0
      ? { erased: 0 }
      : await acts.call('POST /operator/accounts/erase', { actorIds, reason });
  if (town.application)
    await acts.call('POST /operator/applications/:id/suspend', { id: town.application.clientId, reason });
  removeTownFiles(dataDir);
  return erased;
}
