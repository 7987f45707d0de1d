import { LRUCache } from 'lru-cache';
import { assertStorable } from '../codec.js';
import { EventLog, LogUnavailable, NotWitnessed } from '../event-log.js';
import type {
  Append,
  AppendedEvents,
  Batch,
  Checkpoint,
  EventReference,
  Leadership,
  NewEvent,
  ReadOptions,
  SubscribeOptions,
  UndecodedEvent,
} from '../event-log.js';
import type { Recorded } from '../recorded.js';
import { isRestriction } from '../restrictions.js';
import type { RestrictionEvent } from '../restrictions.js';
import { SharedRuns } from '../../base/support/grouped-runs.js';
import { proofOf } from './proof.js';
import { refusalOfAccept, refusalOfPrepare } from './witness-refusals.js';
import type { AppendProof, Restriction, Witness, WitnessedRestriction } from './witness.js';

export const writingSteps = ['decided', 'prepared', 'appended', 'accepted', 'finalized'] as const;

export type WritingStep = (typeof writingSteps)[number];

export type WriteObserver = (step: WritingStep, restriction: Restriction) => Promise<void>;

const REMEMBERED = 10_000;

/**
 * Prepares each restriction in the witness, appends it, accepts and finalizes it (docs/adr/0011-the-witness.md,
 * "Writing a restriction"). Other appends cost nothing more.
 */
export class WitnessedLog extends EventLog {
  private readonly finalized = new LRUCache<string, true>({ max: REMEMBERED });
  private readonly proofs = new SharedRuns(() => this.log.prove());

  constructor(
    private readonly log: EventLog,
    private readonly witness: Witness,
    private readonly now: () => number,
    private readonly observe: WriteObserver = () => Promise.resolve(),
  ) {
    super();
  }

  async append(append: Append): Promise<AppendedEvents> {
    const requested = restrictionOf(append);
    if (!requested) return this.log.append(append);
    // The witness batches the writes of several callers: an invalid text would fail them all.
    assertStorable(requested);
    await this.observe('decided', requested);
    const prepared = await this.prepare(requested);
    await this.observe('prepared', requested);
    const restriction = eventOf(prepared);
    const appended = await this.appendPrepared({
      ...append,
      events: [...append.events.slice(0, -1), restriction],
    });
    await this.observe('appended', requested);
    await this.acknowledge(prepared.restriction, { hash: prepared.hash, position: appended.position });
    return { ...appended, restriction };
  }

  async ensureWitnessed(recorded: readonly Recorded[]): Promise<void> {
    const restrictions = recorded.filter(
      ({ id, event, metadata }) =>
        isRestriction(event) && metadata.witnessEpoch !== undefined && !this.finalized.has(id),
    );
    if (restrictions.length === 0) return;
    const witnessed = await this.findWitnessed(restrictions.map(({ id }) => id));
    for (const each of restrictions)
      await this.ensureAcknowledged(each as Recorded<RestrictionEvent>, witnessed.get(each.id));
  }

  /** Shared by all commands that ask while one is made. */
  prove(): Promise<Leadership | undefined> {
    return this.proofs.run();
  }

  leadership(): Promise<Leadership> {
    return this.log.leadership();
  }

  read(stream: string, options?: ReadOptions): Promise<readonly Recorded[]> {
    return this.log.read(stream, options);
  }

  find(stream: string, id: string): Promise<EventReference | undefined> {
    return this.log.find(stream, id);
  }

  head(): Promise<bigint | undefined> {
    return this.log.head();
  }

  reach(signal?: AbortSignal, milliseconds?: number): Promise<void> {
    return this.log.reach(signal, milliseconds);
  }

  reconnect(): Promise<void> {
    return this.log.reconnect();
  }

  verify(checkpoint: Checkpoint, signal?: AbortSignal): Promise<void> {
    return this.log.verify(checkpoint, signal);
  }

  checkWritable(): Promise<void> {
    return this.log.checkWritable();
  }

  explain(use: 'read' | 'append', error?: unknown): Promise<string | undefined> {
    return this.log.explain(use, error);
  }

  subscribe(options: SubscribeOptions): AsyncIterable<Batch> {
    return this.log.subscribe(options);
  }

  references(options: SubscribeOptions): AsyncIterable<Batch<EventReference>> {
    return this.log.references(options);
  }

  undecoded(options: Omit<SubscribeOptions, 'types'>): AsyncIterable<Batch<UndecodedEvent>> {
    return this.log.undecoded(options);
  }

  close(): Promise<void> {
    return this.log.close();
  }

  private async prepare(restriction: Restriction): Promise<WitnessedRestriction> {
    try {
      return await this.witness.prepare(restriction, this.now());
    } catch (error) {
      throw refusalOfPrepare(error);
    }
  }

  /** An append without an answer leaves the restriction in doubt, for a retry or the in-doubt resolver. */
  private async appendPrepared(append: Append): Promise<AppendedEvents> {
    try {
      return await this.log.append(append);
    } catch (cause) {
      if (!(cause instanceof LogUnavailable)) throw cause;
      const message = 'The log did not confirm the restriction, which may be written: repeat the request.';
      throw new NotWitnessed('ambiguous_acceptance_requires_independent_proof', message, { cause });
    }
  }

  private async acknowledge(restriction: Restriction, proof: AppendProof): Promise<void> {
    const { id } = restriction;
    try {
      await this.witness.accept(id, proof, this.now());
      await this.observe('accepted', restriction);
      await this.witness.finalize(id, this.now());
    } catch (error) {
      throw refusalOfAccept(error);
    }
    this.finalized.set(id, true);
    await this.observe('finalized', restriction);
  }

  private async findWitnessed(ids: readonly string[]): Promise<ReadonlyMap<string, WitnessedRestriction>> {
    try {
      return await this.witness.find(ids);
    } catch (error) {
      throw refusalOfAccept(error);
    }
  }

  private async ensureAcknowledged(
    recorded: Recorded<RestrictionEvent>,
    witnessed: WitnessedRestriction | undefined,
  ): Promise<void> {
    if (!witnessed) {
      const message = `The witness lacks restriction ${recorded.id}, which the log has: the witness must be reseeded.`;
      throw new NotWitnessed('restriction_witness_unavailable_or_incomplete', message, { cause: undefined });
    }
    const proof = proofOf(recorded);
    const isFinalized =
      witnessed.state === 'finalized' &&
      witnessed.position === proof.position &&
      witnessed.hash.equals(proof.hash);
    if (isFinalized) this.finalized.set(recorded.id, true);
    else await this.acknowledge(witnessed.restriction, proof);
  }
}

/** @returns The append's restriction, if any. It must be the last event, so that the append's position is its own. */
function restrictionOf({ stream, events, metadata: shared }: Append): Restriction | undefined {
  const restrictions = events.filter(({ event }) => isRestriction(event));
  if (restrictions.length === 0) return undefined;
  const last = events.at(-1);
  if (restrictions.length > 1 || !last || !isRestriction(last.event))
    throw new Error(
      `an append to ${stream} was refused: it may have one restriction only, as its last event`,
    );
  const { id, event, metadata = shared } = last;
  return { id, stream, event, metadata };
}

function eventOf({ epoch, restriction: { id, event, metadata } }: WitnessedRestriction): Required<NewEvent> {
  return { id, event, metadata: { ...metadata, witnessEpoch: Number(epoch) } };
}
