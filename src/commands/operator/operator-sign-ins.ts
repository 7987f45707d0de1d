import { Command } from '@nestjs/cqrs';
import { projectInline } from '../../../projections/authority/authority.projection.js';
import type { OperatorSignedIn, OperatorSignedOut } from '../../domain/operator/events.js';
import { Refusal } from '../../domain/refusal.js';
import type { EventMetadata } from '../../log/recorded.js';
import { readNewest } from '../../log/read-newest.js';
import { streams } from '../../log/streams.js';
import { aggregates, readState } from '../support/aggregates.js';
import { newestEventOf } from '../support/handle-command.js';
import { handles } from '../support/handles.js';
import type { WriteSide } from '../support/write-side.js';

/** `at`: Unix milliseconds of the event. */
export interface RecordedSignIn {
  readonly at: number;
}

/**
 * Records a sign-in whose passkey is verified.
 * @throws {Refusal} `capability_required`: the operator is not active, or has no such passkey; errors of the log.
 */
export class SignInOperator extends Command<RecordedSignIn> {
  constructor(
    readonly operatorId: string,
    readonly passkeyId: string,
    readonly metadata: EventMetadata,
  ) {
    super();
  }
}

/** Ends every session of the operator, on every process. @throws errors of log and store. */
export class SignOutOperator extends Command<RecordedSignIn> {
  constructor(
    readonly operatorId: string,
    readonly metadata: EventMetadata,
  ) {
    super();
  }
}

export const operatorSignInHandlers = [
  handles(SignInOperator, async ({ operatorId, passkeyId, metadata }, write) => {
    const mayEnter = await readNewest(
      write.log,
      () => mayEnterWith(operatorId, passkeyId, write),
      (found) => found,
    );
    if (!mayEnter)
      throw new Refusal('capability_required', 'You may not sign in: an administrator suspended you.');
    const data = { operatorId, passkeyId, at: write.now() };
    const event: OperatorSignedIn = { type: 'operator.signed_in', data };
    await write.record(signInsOf(operatorId), { ...metadata, operatorId }, () => [event]);
    return { at: data.at };
  }),

  handles(SignOutOperator, async ({ operatorId, metadata }, write) => {
    const data = { operatorId, at: write.now() };
    const event: OperatorSignedOut = { type: 'operator.signed_out', data };
    await projectInline(await write.record(signInsOf(operatorId), metadata, () => [event]), write.store.db);
    return { at: data.at };
  }),
];

const signInsOf = (operatorId: string) => ({
  stream: streams.operatorSignIns(operatorId),
  read: newestEventOf,
});

async function mayEnterWith(operatorId: string, passkeyId: string, { log }: WriteSide): Promise<boolean> {
  const { status, passkeys, removedPasskeys } = await readState(log, aggregates.operator(operatorId));
  return status === 'active' && passkeys.includes(passkeyId) && !removedPasskeys.includes(passkeyId);
}
