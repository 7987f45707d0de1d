import { Refused } from '../../../base/terminal/failure.js';
import { accountsWith, applicationWith, reasonOf, townActsOf } from './acts.js';
import type { TownActs } from './acts.js';
import type { DemoNetwork } from './network.js';
import { readTown, removeTownFile } from './town-file.js';

export interface Removal {
  /** People whom this erased. */
  readonly erased: number;
  /** False: the network began anew, or was restored from before the town. */
  readonly isKnown: boolean;
}

/**
 * Erases the people of the town by one act, suspends its application, and forgets its passwords. Undefined: there is
 * no town.
 * @throws {AwaitsApproval} four-eyes is on: the same command finishes it after the erasure. {Failure}
 */
export async function removeTown({
  config: { dataDir },
  operator,
}: DemoNetwork): Promise<Removal | undefined> {
  const town = readTown(dataDir);
  if (!town) return undefined;
  const acts = townActsOf(operator);
  const reason = reasonOf(town);
  const actorIds = await accountsWith(acts, reason);
  const { erased } =
    actorIds.length === 0
      ? { erased: 0 }
      : await acts.call('POST /operator/accounts/erase', { actorIds, reason });
  const id = town.application?.clientId ?? (await applicationWith(acts, reason));
  const isKnown = id === undefined || (await suspend(acts, id, reason));
  removeTownFile(dataDir);
  return { erased, isKnown };
}

/** Returns false if the network does not know the application. */
async function suspend(acts: TownActs, id: string, reason: string): Promise<boolean> {
  try {
    await acts.call('POST /operator/applications/:id/suspend', { id, reason });
    return true;
  } catch (error) {
    if (error instanceof Refused && error.code === 'not_found') return false;
    throw error;
  }
}
