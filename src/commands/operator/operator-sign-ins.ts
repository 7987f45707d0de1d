import { Injectable } from '@nestjs/common';
import { Command, CommandHandler } from '@nestjs/cqrs';
import type { ICommandHandler } from '@nestjs/cqrs';
import { projectInline } from '../../../projections/authority/authority.projection.js';
import type { OperatorSignedIn, OperatorSignedOut } from '../../domain/operator/events.js';
import { evolveOperator, noOperator } from '../../domain/operator/operator.js';
import type { OperatorEvent } from '../../domain/operator/operator.js';
import { Refusal } from '../../domain/refusal.js';
import { EventLog } from '../../log/event-log.js';
import type { EventMetadata } from '../../log/recorded.js';
import { readNewest } from '../../log/read-newest.js';
import { streams } from '../../log/streams.js';
import { AuthorityStore } from '../../base/store/authority/authority-store.js';
import { Clock } from '../../base/support/clock.js';
import { IdGenerator } from '../../base/support/id-generator.js';
import { handleCommand, newestEventOf } from '../support/handle-command.js';

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

@Injectable()
abstract class SignInHandler {
  constructor(
    protected readonly log: EventLog,
    protected readonly store: AuthorityStore,
    protected readonly clock: Clock,
    protected readonly ids: IdGenerator,
  ) {}

  protected async record(event: OperatorSignedIn | OperatorSignedOut, metadata: EventMetadata) {
    const { added } = await handleCommand<undefined, OperatorSignedIn | OperatorSignedOut>(
      this.log,
      this.ids,
      {
        stream: streams.operatorSignIns(event.data.operatorId),
        read: newestEventOf,
        initial: undefined,
        evolve: () => undefined,
        decide: () => [event],
        metadata,
      },
    );
    return added;
  }
}

@CommandHandler(SignInOperator)
export class SignInOperatorHandler extends SignInHandler implements ICommandHandler<SignInOperator> {
  async execute({ operatorId, passkeyId, metadata }: SignInOperator): Promise<RecordedSignIn> {
    const mayEnter = await readNewest(
      this.log,
      () => this.mayEnter(operatorId, passkeyId),
      (found) => found,
    );
    if (!mayEnter)
      throw new Refusal('capability_required', 'You may not sign in: an administrator suspended you.');
    const at = this.clock.now();
    const signedIn = { type: 'operator.signed_in', data: { operatorId, passkeyId, at } } as const;
    await this.record(signedIn, { ...metadata, operatorId });
    return { at };
  }

  private async mayEnter(operatorId: string, passkeyId: string): Promise<boolean> {
    const recorded = await this.log.read(streams.operator(operatorId));
    const { status, passkeys, removedPasskeys } = recorded.reduce(
      (older, { event }) => evolveOperator(older, event as OperatorEvent),
      noOperator,
    );
    return status === 'active' && passkeys.includes(passkeyId) && !removedPasskeys.includes(passkeyId);
  }
}

@CommandHandler(SignOutOperator)
export class SignOutOperatorHandler extends SignInHandler implements ICommandHandler<SignOutOperator> {
  async execute({ operatorId, metadata }: SignOutOperator): Promise<RecordedSignIn> {
    const at = this.clock.now();
    const signedOut = { type: 'operator.signed_out', data: { operatorId, at } } as const;
    await projectInline(await this.record(signedOut, metadata), this.store.db);
    return { at };
  }
}
