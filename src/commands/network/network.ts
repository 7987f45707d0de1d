import { Command } from '@nestjs/cqrs';
import type { NetworkRestored } from '../../domain/network/events.js';
import {
  beginBackup,
  limitSharedToken,
  networkMissing,
  pausePublishing,
  recordReadModelOperation,
  recordRestore,
  resumePublishing,
  rotateSigningKey,
} from '../../domain/network/network.js';
import type { ReadModelOperation } from '../../domain/network/network.js';
import type { EventMetadata } from '../../log/recorded.js';
import { aggregates } from '../support/aggregates.js';
import { handles } from '../support/handles.js';
import type { ChangeResult, Untimed } from '../support/write-side.js';
import { foundedNetwork } from './founded-network.js';
import { SigningKeys } from './signing-keys.js';
import type { NextKey } from './signing-keys.js';

/** Each has the refusal `recovery_state_missing`: the log has no network yet. */
abstract class NetworkCommand<Result> extends Command<Result> {
  constructor(readonly metadata: EventMetadata) {
    super();
  }
}

/**
 * Pauses publishing: until it resumes, nobody creates or edits posts or changes a profile. Effective on the next
 * request to any process. Idempotent.
 * @throws {Refusal} and errors of log and store
 */
export class PausePublishing extends NetworkCommand<ChangeResult> {}

export class ResumePublishing extends NetworkCommand<ChangeResult> {}

/**
 * Reduces the shared token to emergency access, for good, effective on its next use in any process. Idempotent.
 * @throws {Refusal} and errors of log and store
 */
export class LimitSharedToken extends NetworkCommand<ChangeResult> {}

export interface BegunBackup {
  readonly backupId: string;
  readonly networkId: string;
  readonly at: number;
  /** Position of the recorded event: the copy of the log ends with it. */
  readonly position: bigint;
}

/**
 * Records in the log the start of a backup, its operator and reason. Not idempotent.
 * @throws {Refusal} and errors of the log
 */
export class BeginBackup extends NetworkCommand<BegunBackup> {}

export interface RotatedKey extends NextKey {
  readonly changed: boolean;
}

/**
 * Publishes a new key at once; it signs ID tokens once every client can know it. Until then, a repeated call returns
 * the same key.
 * @throws {Refusal} and errors of log and vault
 */
export class RotateSigningKey extends NetworkCommand<RotatedKey> {}

/**
 * Records in the log that an operator requested a rebuild, recovery or rollback, with the reason. Not idempotent.
 * @throws {Refusal} `recovery_state_missing`: the log has no network yet; errors of the log.
 */
export class RecordReadModelOperation extends Command<void> {
  constructor(
    readonly operation: Untimed<ReadModelOperation>,
    readonly metadata: EventMetadata,
  ) {
    super();
  }
}

/**
 * Records in the log that a backup was restored while Plaza was stopped. Idempotent.
 * @throws {Refusal} `recovery_state_missing`: the log has no network yet; errors of the log.
 */
export class RecordRestore extends Command<void> {
  constructor(
    readonly restored: NetworkRestored['data'],
    readonly metadata: EventMetadata,
  ) {
    super();
  }
}

export const networkHandlers = [
  handles(PausePublishing, ({ metadata }, write) =>
    write.project(aggregates.network(), metadata, (network) => pausePublishing(network, write.now())),
  ),

  handles(ResumePublishing, ({ metadata }, write) =>
    write.project(aggregates.network(), metadata, (network) => resumePublishing(network, write.now())),
  ),

  handles(LimitSharedToken, ({ metadata }, write) =>
    write.project(aggregates.network(), metadata, (network) => limitSharedToken(network, write.now())),
  ),

  handles(BeginBackup, async ({ metadata }, write) => {
    const backup = { backupId: write.ids.random(), at: write.now() };
    const { past, added } = await write.change(aggregates.network(), metadata, (network) =>
      beginBackup(network, backup),
    );
    const [begun] = added;
    const founded = past[0]?.event;
    if (!begun || founded?.type !== 'network.founded') throw networkMissing();
    return { ...backup, networkId: founded.data.networkId, position: begun.position };
  }),

  // Creates the key before the event: a rotation that stopped between the two is recorded by the retry. Checks beforehand
  // that the event can be recorded.
  handles(RotateSigningKey, { keys: SigningKeys }, async ({ metadata }, write, { keys }) => {
    const at = write.now();
    await foundedNetwork(write.log);
    const next = await keys.next(at);
    const { added } = await write.change(aggregates.network(), metadata, (network) =>
      rotateSigningKey(network, { ...next, at }),
    );
    return { ...next, changed: added.length > 0 };
  }),

  handles(RecordReadModelOperation, async ({ operation, metadata }, write) => {
    const event = { ...operation, data: { ...operation.data, at: write.now() } } as ReadModelOperation;
    await write.change(aggregates.network(), metadata, (network) => recordReadModelOperation(network, event));
  }),

  handles(RecordRestore, async ({ restored, metadata }, write) => {
    await write.change(aggregates.network(), metadata, (network) => recordRestore(network, restored));
  }),
];
