import { Injectable } from '@nestjs/common';
import { projectInline } from '../../../projections/authority/authority.projection.js';
import type { LifecycleState } from '../../domain/lifecycle.js';
import { payloadDigest } from '../../log/encryption.js';
import { EventLog } from '../../log/event-log.js';
import type { EventMetadata, Recorded } from '../../log/recorded.js';
import type { StoredEvent } from '../../log/registry.js';
import { KeyVault } from '../../log/vault/key-vault.js';
import { AuthorityStore } from '../../base/store/authority/authority-store.js';
import { Clock } from '../../base/support/clock.js';
import { IdGenerator } from '../../base/support/id-generator.js';
import { handleCommand } from './handle-command.js';
import type { Aggregate, CommandContext, Decided } from './handle-command.js';
import { handleIdempotentCommand } from './handle-idempotent-command.js';
import type { IdempotentCommandContext, IntentOutcome } from './handle-idempotent-command.js';

export interface ChangeResult {
  readonly changed: boolean;
}

export interface LifecycleChange extends ChangeResult {
  readonly revision: number;
}

/** The aggregate says what the events are, not the rule, which may know only some of them. */
type Decide<State, Event extends StoredEvent> = CommandContext<State, NoInfer<Event>>['decide'];

/** An event before its handler gives it a time. */
export type Untimed<Event extends StoredEvent> = Event extends unknown
  ? { readonly type: Event['type']; readonly data: WithoutTime<Event['data']> }
  : never;

type WithoutTime<Data> = Data extends unknown ? Omit<Data, 'at'> : never;

type Subject<State, Event extends StoredEvent> = Aggregate<State, Event> &
  Pick<CommandContext<State, Event>, 'known' | 'isProbablyNew' | 'toConfirm'>;

type IntentContext<State, Event extends StoredEvent> = Omit<
  IdempotentCommandContext<State, Event>,
  'payloadHash'
>;

/** The stores of the write side, and the ways in which commands change them. */
@Injectable()
export class WriteSide {
  constructor(
    readonly log: EventLog,
    readonly store: AuthorityStore,
    readonly vault: KeyVault,
    private readonly clock: Clock,
    readonly ids: IdGenerator,
  ) {}

  /** Unix milliseconds. */
  now(): number {
    return this.clock.now();
  }

  /** Reads, decides and appends. @throws {Refusal} and errors of the log, as {@link handleCommand} does. */
  change<State, Event extends StoredEvent>(
    subject: Subject<State, Event>,
    metadata: EventMetadata,
    decide: Decide<State, Event>,
  ): Promise<Decided<Event>> {
    return handleCommand(this.log, this.ids, { ...subject, decide, metadata });
  }

  /**
   * Appends events that no rule decides, made anew for each attempt. `read` and `isProbablyNew`: as in {@link
   * CommandContext}. @throws errors of the log
   */
  async record<Event extends StoredEvent>(
    {
      stream,
      read,
      isProbablyNew = false,
    }: Pick<Subject<undefined, Event>, 'stream' | 'read' | 'isProbablyNew'>,
    metadata: EventMetadata,
    events: () => readonly Event[],
  ): Promise<readonly Recorded<Event>[]> {
    const recording = {
      stream,
      ...(read && { read }),
      isProbablyNew,
      initial: undefined,
      evolve: () => undefined,
    };
    const { added } = await this.change<undefined, Event>(recording, metadata, events);
    return added;
  }

  /**
   * {@link change} for changes of authority: also writes the rows of the authority store, so that the next request to any
   * process honors them.
   * @throws {Refusal}, errors of log and store. After an error of the store, the event is in the log; a retry or a worker
   * projects it.
   */
  async project<State, Event extends StoredEvent>(
    aggregate: Aggregate<State, Event>,
    metadata: EventMetadata,
    decide: Decide<State, Event>,
  ): Promise<ChangeResult> {
    const { added } = await this.changeAndProject(aggregate, metadata, decide);
    return { changed: added.length > 0 };
  }

  /** As {@link project}, of an aggregate that is read whole; returns the lifecycle revision, too. */
  async lifecycle<State extends LifecycleState, Event extends StoredEvent>(
    aggregate: Aggregate<State, Event>,
    metadata: EventMetadata,
    decide: Decide<State, Event>,
  ): Promise<LifecycleChange> {
    return lifecycleChange(await this.changeAndProject(aggregate, metadata, decide), aggregate);
  }

  private async changeAndProject<State, Event extends StoredEvent>(
    ...given: [Aggregate<State, Event>, EventMetadata, Decide<State, Event>]
  ): Promise<Decided<Event>> {
    const decided = await this.change(...given);
    // Earlier events too: this completes a command that stopped after its append.
    await projectInline([...decided.past, ...decided.added], this.store.db);
    return decided;
  }

  /** {@link handleIdempotentCommand}; `payload`: what a repetition of the intent must have, too. */
  async intent<State, Event extends StoredEvent>(
    payload: object,
    context: IntentContext<State, Event>,
  ): Promise<IntentOutcome<State, Event>> {
    const payloadHash = payloadDigest(await this.vault.keyOf(context.intent.actorId), payload);
    return handleIdempotentCommand(this.log, this.ids, { ...context, payloadHash });
  }
}

export function lifecycleChange<State extends LifecycleState, Event extends StoredEvent>(
  { past, added }: Decided<Event>,
  { initial, evolve }: Pick<Aggregate<State, Event>, 'initial' | 'evolve'>,
): LifecycleChange {
  const { lifecycle } = [...past, ...added].reduce((older, { event }) => evolve(older, event), initial);
  return { changed: added.length > 0, revision: lifecycle };
}
