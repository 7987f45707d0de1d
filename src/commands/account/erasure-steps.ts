import { setTimeout as pause } from 'node:timers/promises';
import { CommandBus } from '@nestjs/cqrs';
import { projectInline } from '../../../projections/authority/authority.projection.js';
import type { AccountErased } from '../../domain/account/events.js';
import { Refusal } from '../../domain/refusal.js';
import { EventLog } from '../../log/event-log.js';
import type { EventMetadata, Recorded } from '../../log/recorded.js';
import { streams } from '../../log/streams.js';
import { KeyVault } from '../../log/vault/key-vault.js';
import { AuthorityStore } from '../../store/authority/authority-store.js';
import { leaveJournal } from '../../store/leave-journal.js';
import { CredentialRow } from '../../store/authority/credential.row.js';
import { Clock, IdGenerator } from '../support/ambient.js';
import { newestOf } from '../support/handle-command.js';
import { endSessions } from './end-sessions.js';
import { releaseErasedHandle } from './erased-handles.js';
import { ReadModels } from './read-models.js';
import { RevokeGrantsOf } from '../grant/revoke-grants-of.js';

/** The person is erased, and what is published does not show it yet: repeating it goes on. */
export class ErasurePendingError extends Error {
  override readonly name = 'ErasurePendingError';
}

/** How long an erasure waits for the read models: they have it as soon as a worker comes to it. */
const PATIENCE = { tries: 250, pauseMs: 20 };

/** Tokens, codes and what else is kept under the person's grants. Sessions are ended, and swept soon (see end-sessions.ts). */
const forgetTokens = `
  DELETE FROM authority.oidc_record
  WHERE grant_id IN (SELECT grant_id FROM authority.app_grant WHERE actor_id = $1)`;

const finished = `
  UPDATE authority.account SET erasure_finished_at = $2
  WHERE actor_id = $1 AND state = 'erased' AND erasure_finished_at IS NULL`;

/**
 * What is left to do once an erasure is in the log, in an order in which each step can be done again: whoever comes
 * after a crash begins with the first.
 */
export class ErasureSteps {
  constructor(
    private readonly log: EventLog,
    private readonly vault: KeyVault,
    private readonly store: AuthorityStore,
    private readonly readModels: ReadModels,
    private readonly commands: CommandBus,
    private readonly clock: Clock,
    private readonly ids: IdGenerator,
  ) {}

  /**
   * To no effect if the account is not erased.
   * @throws {ErasurePendingError}, and what log, vault and store throw: what is not done is done by repeating it.
   */
  async finish(actorId: string): Promise<void> {
    const [last] = await newestOf(this.log, streams.account(actorId));
    if (last?.event.type !== 'account.erased') return;
    const { event, position, metadata } = last as Recorded<AccountErased>;
    const { handleDigest: digest, keyId } = event.data;
    const act = actOf(metadata);

    // In the witness, too, before anything is lost.
    await this.log.ensureWitnessed([last]);
    await this.vault.destroy(actorId, keyId);
    await projectInline([last], this.store.db);
    const { log, ids, clock } = this;
    if (digest !== undefined)
      await releaseErasedHandle({ log, ids, clock }, { digest, actorId, metadata: act });
    await this.revokeGrants(actorId, act);
    await this.forgetCredentials(actorId);
    await this.untilForgotten(actorId, position);
    if (!(await this.vault.rewriteFiles())) return;
    await leaveJournal(this.store.db);
    await this.store.db.query(finished, [actorId, this.clock.now()]);
  }

  /** One that the log does not know (any more) gives no authority either, since the account has none. */
  private async revokeGrants(actorId: string, act: EventMetadata): Promise<void> {
    const cause = act.operator === undefined ? 'person' : 'operator';
    try {
      await this.commands.execute(new RevokeGrantsOf({ cause, actorId }, act));
    } catch (error) {
      if (!(error instanceof Refusal) || error.code !== 'not_found') throw error;
    }
  }

  private async forgetCredentials(actorId: string): Promise<void> {
    await this.store.transaction(async () => {
      await endSessions(this.store, actorId);
      await this.store.db.delete(CredentialRow, { actorId });
      await this.store.db.query(forgetTokens, [actorId]);
    });
  }

  private async untilForgotten(actorId: string, position: bigint): Promise<void> {
    for (let tries = 1; !(await this.readModels.haveForgotten(actorId, position)); tries++) {
      if (tries === PATIENCE.tries)
        throw new ErasurePendingError('The account is erased, but the read models are behind.');
      await pause(PATIENCE.pauseMs);
    }
  }
}

/** Who had the person erased, without what only that one event bears. */
const actOf = ({ requestId, addressClass, actorId, operator, reason }: EventMetadata): EventMetadata => ({
  requestId,
  addressClass,
  actorId,
  operator,
  reason,
});
