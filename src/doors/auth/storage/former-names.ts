import type { FormerName } from '../../../domain/application/change.js';
import { shownNames } from '../../../domain/application/change.js';
import type { Clock } from '../../../base/support/clock.js';
import type { AuthorityStore } from '../../../base/store/authority/authority-store.js';
import { ApplicationRow } from '../../../base/store/authority/application.row.js';

export class FormerNames {
  constructor(
    private readonly store: AuthorityStore,
    private readonly clock: Clock,
  ) {}

  /** Names under which people may know an application, the newest first. */
  async of(appId: string): Promise<readonly FormerName[]> {
    const row = await this.store.db.findOneBy(ApplicationRow, { appId });
    return shownNames(row?.formerNames ?? [], this.clock.now());
  }
}
