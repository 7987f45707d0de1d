import type { CommandBus } from '@nestjs/cqrs';
import type { Clock } from '../../base/support/clock.js';
import type { IdGenerator } from '../../base/support/id-generator.js';
import { EraseAccount } from '../../commands/account/erase-account.js';
import type { KeyVault } from '../../log/vault/key-vault.js';
import type { AuthorityStore } from '../../base/store/authority/authority-store.js';
import type { Witness } from '../../log/witness/witness.js';
import { ExclusiveTask } from '../exclusive-task.js';
import type { ExclusiveTaskOptions } from '../exclusive-task.js';
import { isOutage } from '../../log/witness/outage.js';

const INTERVAL_MS = 2_000;
const KEY_CHECK_INTERVAL_MS = 60_000;
const PAGE = 500;

const pendingSql = `
  SELECT actor_id FROM authority.account
  WHERE erases_at IS NOT NULL AND state <> 'erased' AND erases_at <= $1::bigint
  UNION ALL
  SELECT actor_id FROM authority.account WHERE state = 'erased' AND erasure_finished_at IS NULL`;

const erasedSql = `
  SELECT actor_id FROM authority.account WHERE state = 'erased' AND actor_id > $1 ORDER BY actor_id LIMIT ${PAGE}`;

/**
 * Marks the erasure of these accounts as unfinished, because a restored backup brought their data back: owners of
 * keys that are not destroyed ($1), and accounts with a credential.
 */
const reopenSql = `
  UPDATE authority.account SET erasure_finished_at = NULL
  WHERE state = 'erased' AND (actor_id = ANY ($1::text[])
    OR EXISTS (SELECT FROM authority.credential WHERE credential.actor_id = account.actor_id))`;

export interface ErasuresOptions extends ExclusiveTaskOptions {
  readonly commands: CommandBus;
  readonly store: AuthorityStore;
  readonly witness: Witness;
  readonly vault: KeyVault;
  readonly clock: Clock;
  readonly ids: IdGenerator;
}

/**
 * Erases the accounts whose time has come, finishes interrupted erasures, and destroys again the keys that a restored
 * backup brought back.
 */
export class Erasures extends ExclusiveTask {
  protected override readonly lock = 'erasures';
  protected override readonly subject = 'erasures of accounts';
  private keysCheckedAt = -Infinity;

  constructor(private readonly options: ErasuresOptions) {
    super(INTERVAL_MS, options);
  }

  protected override async hasWork(): Promise<boolean> {
    return this.isKeyCheckDue || (await this.pending()).length > 0;
  }

  protected override async work(): Promise<void> {
    if (this.isKeyCheckDue) {
      const now = performance.now();
      await this.destroyRestoredKeys();
      this.keysCheckedAt = now;
    }
    for (const actorId of await this.pending()) {
      if (this.isStopping) return;
      try {
        await this.erase(actorId);
      } catch (error) {
        if (isOutage(error)) throw error;
        this.options.logger.error({ err: error, actorId }, 'erasure of an account failed; retrying');
      }
    }
  }

  private get isKeyCheckDue(): boolean {
    return performance.now() - this.keysCheckedAt >= KEY_CHECK_INTERVAL_MS;
  }

  private async pending(): Promise<readonly string[]> {
    const { store, clock } = this.options;
    const rows = await store.db.query<{ actor_id: string }[]>(pendingSql, [clock.now()]);
    return rows.map(({ actor_id: actorId }) => actorId);
  }

  private async erase(actorId: string): Promise<void> {
    const { commands, ids, logger } = this.options;
    const { changed } = await commands.execute(
      new EraseAccount(actorId, { requestId: ids.uuid() }, { onlyWhenDue: true }),
    );
    logger.info({ actorId }, changed ? 'erased an account' : 'finished an interrupted erasure');
  }

  private async destroyRestoredKeys(): Promise<void> {
    await this.destroyWitnessedKeys();
    const { store, vault, logger } = this.options;
    for (let after = ''; ;) {
      const rows = await store.db.query<{ actor_id: string }[]>(erasedSql, [after]);
      const restored = await vault.notDestroyed(rows.map(({ actor_id: actorId }) => actorId));
      const [, count] = await store.db.query<[unknown, number]>(reopenSql, [restored]);
      if (count > 0)
        logger.warn(
          { people: count },
          'keys or credentials of erased accounts may still exist; erasing these accounts again',
        );
      after = rows.at(-1)?.actor_id ?? '';
      if (rows.length < PAGE) return;
    }
  }

  /**
   * Destroys the keys of people whose erasure the witness knows. The log and the authority store may have lost the
   * erasure, if they were restored together with the vault.
   */
  private async destroyWitnessedKeys(): Promise<void> {
    const { witness, vault, logger } = this.options;
    for (let epoch = 0n; ;) {
      const page = await witness.erasures(epoch, PAGE);
      const keys = new Map<string, string | undefined>();
      for (const { restriction } of page)
        if (restriction.event.type === 'account.erased') {
          const { actorId, keyId } = restriction.event.data;
          keys.set(actorId, keyId);
        }
      for (const actorId of await vault.notDestroyed([...keys.keys()])) {
        await vault.destroy(actorId, keys.get(actorId));
        logger.warn(
          { actorId },
          'the vault did not have the key of an erased account as destroyed; destroyed it',
        );
      }
      epoch = page.at(-1)?.epoch ?? epoch;
      if (page.length < PAGE || this.isStopping) return;
    }
  }
}
