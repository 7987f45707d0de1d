import type { CommandBus } from '@nestjs/cqrs';
import type { Logger } from 'pino';
import type { Clock } from '../commands/support/clock.js';
import type { IdGenerator } from '../commands/support/id-generator.js';
import { EraseAccount } from '../commands/account/erase-account.js';
import { ErasurePendingError } from '../commands/account/erasure-steps.js';
import { LogUnavailable, NotWitnessed } from '../log/event-log.js';
import type { KeyVault } from '../log/vault/key-vault.js';
import type { AuthorityStore } from '../store/authority/authority-store.js';
import { isUnreachable } from '../store/unreachable.js';
import { PeriodicTask } from '../support/periodic-task.js';
import type { Witness } from '../witness/witness.js';
import { WitnessRequired, WitnessUnavailable } from '../witness/witness.js';

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

export interface ErasuresOptions {
  readonly commands: CommandBus;
  readonly store: AuthorityStore;
  readonly vault: KeyVault;
  readonly witness: Witness;
  readonly clock: Clock;
  readonly ids: IdGenerator;
  readonly logger: Pick<Logger, 'info' | 'warn' | 'error'>;
}

/**
 * Erases the accounts whose time has come, finishes interrupted erasures, and destroys again the keys that a restored
 * backup brought back. A lock of the witness lets only one process at a time do this.
 */
export class Erasures extends PeriodicTask {
  private keysCheckedAt = -Infinity;
  private hasWarned = false;

  constructor(private readonly options: ErasuresOptions) {
    super(INTERVAL_MS);
  }

  protected override async runOnce(): Promise<void> {
    const { witness, logger } = this.options;
    try {
      await witness.alone('erasures', () => this.eraseAll());
      this.hasWarned = false;
    } catch (error) {
      // Without a witness no erasure is possible, and none ever was.
      const level = isTransient(error) ? 'warn' : 'error';
      if (!this.hasWarned && !(error instanceof WitnessRequired))
        logger[level]({ err: error }, 'erasures of accounts interrupted; retrying');
      this.hasWarned = true;
    }
  }

  private async eraseAll(): Promise<void> {
    const { store, clock, logger } = this.options;
    const now = performance.now();
    if (now - this.keysCheckedAt >= KEY_CHECK_INTERVAL_MS) {
      await this.destroyRestoredKeys();
      this.keysCheckedAt = now;
    }
    const rows = await store.db.query<{ actor_id: string }[]>(pendingSql, [clock.now()]);
    for (const { actor_id: actorId } of rows) {
      if (this.isStopping) return;
      try {
        await this.erase(actorId);
      } catch (error) {
        if (isTransient(error) && !(error instanceof ErasurePendingError)) throw error;
        logger.error({ err: error, actorId }, 'erasure of an account failed; retrying');
      }
    }
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

const isTransient = (error: unknown): boolean =>
  error instanceof LogUnavailable ||
  error instanceof NotWitnessed ||
  error instanceof WitnessUnavailable ||
  error instanceof ErasurePendingError ||
  isUnreachable(error);
