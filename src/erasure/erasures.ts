import type { CommandBus } from '@nestjs/cqrs';
import type { Logger } from 'pino';
import type { Clock, IdGenerator } from '../commands/support/ambient.js';
import { EraseAccount } from '../commands/account/erase-account.js';
import { ErasurePendingError } from '../commands/account/erasure-steps.js';
import { LogUnavailable, NotWitnessed } from '../log/event-log.js';
import type { KeyVault } from '../log/vault/key-vault.js';
import type { AuthorityStore } from '../store/authority/authority-store.js';
import { isUnreachable } from '../store/unreachable.js';
import { PeriodicTask } from '../support/periodic-task.js';
import type { Witness } from '../witness/witness.js';
import { WitnessRequired, WitnessUnavailable } from '../witness/witness.js';

const EVERY_MS = 2_000;
/** How often it is looked whether a key is there again that was destroyed: at every start, and this often. */
const KEYS_EVERY_MS = 60_000;
/** People or restrictions that are looked at together. */
const PAGE = 500;

/** Whose erasure was asked for and is due, or was begun and not finished. $1: Unix milliseconds. */
const toErase = `
  SELECT actor_id FROM authority.account
  WHERE erases_at IS NOT NULL AND state <> 'erased' AND erases_at <= $1::bigint
  UNION ALL
  SELECT actor_id FROM authority.account WHERE state = 'erased' AND erasure_finished_at IS NULL`;

const erased = `
  SELECT actor_id FROM authority.account WHERE state = 'erased' AND actor_id > $1 ORDER BY actor_id LIMIT ${PAGE}`;

/** Something is there again: a backup brought it back. $1: whose key. */
const unfinished = `
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
 * Carries out erasures that are due, finishes those that were cut off, and destroys again whatever key a restored backup
 * brought back. One process at a time; the others step aside.
 */
export class Erasures extends PeriodicTask {
  private keysLookedAt = -Infinity;
  private hasComplained = false;

  constructor(private readonly options: ErasuresOptions) {
    super(EVERY_MS);
  }

  protected override async once(): Promise<void> {
    const { witness, logger } = this.options;
    try {
      await witness.alone('erasures', () => this.eraseAll());
      this.hasComplained = false;
    } catch (error) {
      // Without a witness nobody can be erased, and nobody was.
      const level = isPassing(error) ? 'warn' : 'error';
      if (!this.hasComplained && !(error instanceof WitnessRequired))
        logger[level]({ err: error }, 'erasures are finished later');
      this.hasComplained = true;
    }
  }

  /** One that cannot be finished keeps no other from it. */
  private async eraseAll(): Promise<void> {
    const { store, clock, logger } = this.options;
    const now = performance.now();
    if (now - this.keysLookedAt >= KEYS_EVERY_MS) {
      await this.destroyAgain();
      this.keysLookedAt = now;
    }
    const rows = await store.db.query<{ actor_id: string }[]>(toErase, [clock.now()]);
    for (const { actor_id: actorId } of rows) {
      if (this.isStopping) return;
      try {
        await this.erase(actorId);
      } catch (error) {
        if (isPassing(error) && !(error instanceof ErasurePendingError)) throw error;
        logger.error({ err: error, actorId }, 'an erasure cannot be finished; it is tried again');
      }
    }
  }

  private async erase(actorId: string): Promise<void> {
    const { commands, ids, logger } = this.options;
    const { changed } = await commands.execute(
      new EraseAccount(actorId, { requestId: ids.uuid() }, { onlyWhenDue: true }),
    );
    logger.info({ actorId }, changed ? 'erased an account that was due' : 'finished an erasure');
  }

  private async destroyAgain(): Promise<void> {
    await this.destroyWitnessed();
    const { store, vault, logger } = this.options;
    for (let after = ''; ;) {
      const rows = await store.db.query<{ actor_id: string }[]>(erased, [after]);
      const back = await vault.notDestroyed(rows.map(({ actor_id: actorId }) => actorId));
      const [, count] = await store.db.query<[unknown, number]>(unfinished, [back]);
      if (count > 0) logger.warn({ people: count }, 'something of erased people is there again');
      after = rows.at(-1)?.actor_id ?? '';
      if (rows.length < PAGE) return;
    }
  }

  /** Also where the log and the authority store were set back with the vault. */
  private async destroyWitnessed(): Promise<void> {
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
        logger.warn({ actorId }, 'destroyed a key again: the vault had it back from an older backup');
      }
      epoch = page.at(-1)?.epoch ?? epoch;
      if (page.length < PAGE || this.isStopping) return;
    }
  }
}

/** A store is away: nothing is wrong with what was asked of it. */
const isPassing = (error: unknown): boolean =>
  error instanceof LogUnavailable ||
  error instanceof NotWitnessed ||
  error instanceof WitnessUnavailable ||
  error instanceof ErasurePendingError ||
  isUnreachable(error);
