import { Injectable } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import { projectInline } from '../../../projections/authority/authority.projection.js';
import type { AccountErased } from '../../domain/account/events.js';
import { Refusal } from '../../domain/refusal.js';
import { readNewest } from '../../log/read-newest.js';
import type { EventMetadata, Recorded } from '../../log/recorded.js';
import { streams } from '../../log/streams.js';
import { CredentialRow } from '../../base/store/authority/credential.row.js';
import { sleep } from '../../base/support/sleep.js';
import { newestEventOf } from '../support/handle-command.js';
import { WriteSide } from '../support/write-side.js';
import { endSessions } from './end-sessions.js';
import { releaseHandleOfErasedAccount } from './erased-handles.js';
import { ReadModels } from './read-models.js';
import { RevokeGrants } from '../grant/revoke-grants.js';

/**
 * The erasure is in the log, but the read models still show the person. Repeating the command completes the erasure.
 */
export class ErasurePendingError extends Error {
  override readonly name = 'ErasurePendingError';
}

const READ_MODEL_WAIT = { tries: 250, pauseMs: 20 };

const deleteTokens = `
  DELETE FROM authority.oidc_record
  WHERE grant_id IN (SELECT grant_id FROM authority.app_grant WHERE actor_id = $1)`;

const markFinished = `
  UPDATE authority.account SET erasure_finished_at = $2
  WHERE actor_id = $1 AND state = 'erased' AND erasure_finished_at IS NULL`;

/**
 * The steps after an erasure is in the log. Each step is idempotent: after a crash they start again from the first. The
 * files of Postgres follow by themselves, in `src/background/erasure/rewrites.ts`.
 */
@Injectable()
export class ErasureSteps {
  constructor(
    private readonly write: WriteSide,
    private readonly readModels: ReadModels,
    private readonly commands: CommandBus,
  ) {}

  /**
   * Executes the steps for one account, if its newest event is an erasure.
   * @throws {ErasurePendingError}, and errors of log, vault and store: repeating completes the unfinished steps.
   */
  async finish(actorId: string): Promise<void> {
    const { log, vault, store } = this.write;
    const [last] = await readNewest(
      log,
      () => newestEventOf(log, streams.account(actorId)),
      ([newest]) => newest?.event.type === 'account.erased',
    );
    if (last?.event.type !== 'account.erased') return;
    const { event, position, metadata } = last as Recorded<AccountErased>;
    const { handleDigest: digest, keyId } = event.data;
    const requester = requesterMetadata(metadata);

    // Recorded in the witness before anything is lost.
    await log.ensureWitnessed([last]);
    await vault.destroy(actorId, keyId);
    await projectInline([last], store.db);
    if (digest !== undefined)
      await releaseHandleOfErasedAccount(this.write, { digest, actorId, metadata: requester });
    await this.revokeGrants(actorId, requester);
    await this.deleteCredentials(actorId);
    await this.waitForReadModels(actorId, position);
    await store.db.query(markFinished, [actorId, this.write.now()]);
  }

  /** Ignores grants that the log does not know: they give no authority, since the account has none. */
  private async revokeGrants(actorId: string, requester: EventMetadata): Promise<void> {
    const cause =
      requester.operatorId === undefined && requester.operator === undefined ? 'person' : 'operator';
    try {
      await this.commands.execute(new RevokeGrants({ cause, actorId }, requester));
    } catch (error) {
      if (!(error instanceof Refusal) || error.code !== 'not_found') throw error;
    }
  }

  private async deleteCredentials(actorId: string): Promise<void> {
    const { store } = this.write;
    await store.transaction(async () => {
      await endSessions(store, actorId);
      await store.db.delete(CredentialRow, { actorId });
      await store.db.query('DELETE FROM authority.wrong_password WHERE actor_id = $1', [actorId]);
      await store.db.query('DELETE FROM authority.recovery_link WHERE actor_id = $1', [actorId]);
      await store.db.query(deleteTokens, [actorId]);
    });
  }

  private async waitForReadModels(actorId: string, position: bigint): Promise<void> {
    for (let tries = 1; !(await this.readModels.finishErasure(actorId, position)); tries++) {
      if (tries === READ_MODEL_WAIT.tries)
        throw new ErasurePendingError(
          'The account is erased, but the read models still show it; repeat the erasure to finish it.',
        );
      await sleep(READ_MODEL_WAIT.pauseMs);
    }
  }
}

const requesterMetadata = ({
  requestId,
  clientRequestId,
  addressClass,
  actorId,
  operatorId,
  operator,
  reason,
}: EventMetadata): EventMetadata => ({
  requestId,
  clientRequestId,
  addressClass,
  actorId,
  operatorId,
  operator,
  reason,
});
