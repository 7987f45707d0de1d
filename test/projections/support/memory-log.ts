import {
  EventLog,
  LogReplaced,
  LogUnavailable,
  UnreadableEvent,
  WrongExpectedRevision,
} from '../../../src/log/event-log.js';
import type {
  Append,
  AppendedEvents,
  Batch,
  Checkpoint,
  EventReference,
  NewEvent,
  ReadOptions,
  SubscribeOptions,
} from '../../../src/log/event-log.js';
import type { EventMetadata, Recorded } from '../../../src/log/recorded.js';
import { registryEntryOf } from '../../../src/log/registry.js';
import type { StoredEvent } from '../../../src/log/registry.js';
import { PersonErased } from '../../../src/log/vault/key-vault.js';
import { assertStorable } from '../../../src/log/codec.js';
import type { RestrictionEvent } from '../../../src/log/restrictions.js';
import { Recorder } from './recorded.js';

/**
 * A log in memory whose faults and batches a test controls exactly. It passes the cases of a log (test/log/support/log-contract.ts), and
 * encrypts nothing.
 */
export class MemoryLog extends EventLog {
  private recorder = new Recorder();
  private events: Recorded[] = [];
  private news = Promise.withResolvers<void>();
  private down = false;
  private slow = false;
  private hasBacklog = false;
  private readonly destroyed = new Set<string>();
  private readonly unreadable = new Set<string>();
  private readonly late = new Set<string>();

  /** Appends events and returns them as recorded. */
  add(...events: StoredEvent[]): readonly Recorded[] {
    const recorded = events.map((event) => this.recorder.record(event));
    this.events.push(...recorded);
    this.wake();
    return recorded;
  }

  /** Appends a restriction with this witness epoch. */
  addWitnessed(witnessEpoch: number, event: RestrictionEvent): Recorded<RestrictionEvent> {
    const recorded = this.recorder.record(event, { metadata: { witnessEpoch } });
    this.events.push(recorded);
    this.wake();
    return recorded;
  }

  /** Appends events with this metadata. */
  addWithMetadata(metadata: Partial<EventMetadata>, ...events: StoredEvent[]): void {
    this.events.push(...events.map((event) => this.recorder.record(event, { metadata })));
    this.wake();
  }

  /** Destroys the key of a person: their encrypted fields read as placeholders from now on. */
  destroyKey(actorId: string): void {
    this.destroyed.add(actorId);
    this.events = this.events.map((recorded) => {
      const personal = registryEntryOf(recorded.event.type)?.personal;
      if (personal?.person(recorded.event.data) !== actorId) return recorded;
      // Not spread as a union: its type check takes more than all others together.
      const { type, data }: UntypedEvent = recorded.event;
      return {
        ...recorded,
        erased: true,
        event: { type, data: { ...data, ...personal.placeholders } } as StoredEvent,
      };
    });
  }

  /** Another log with the same events. */
  copy(): MemoryLog {
    const copy = new MemoryLog();
    copy.events.push(
      ...this.events.map(({ id, event, metadata }) => ({ ...copy.recorder.record(event, { metadata }), id })),
    );
    return copy;
  }

  /** Number of its events. */
  get length(): number {
    return this.events.length;
  }

  /** Keeps only the first events, as a restore from a backup does. Later events get new ids. */
  rollBack(length: number): void {
    const kept = this.events.slice(0, length);
    this.events = [];
    this.recorder = new Recorder();
    for (const { event, id, metadata } of kept)
      this.events.push({ ...this.recorder.record(event, { metadata }), id });
  }

  /** Removes one event: a log that was rolled back and written to until all later events have their old positions. */
  removeEvent(id: string): void {
    this.events = this.events.filter((recorded) => recorded.id !== id);
  }

  setDown(down: boolean): void {
    this.down = down;
    this.wake();
  }

  /** Subscriptions deliver nothing, as if the log were too long to search. */
  setSlow(slow: boolean): void {
    this.slow = slow;
    this.wake();
  }

  /** Subscriptions deliver events, and never report the end of the log. */
  setBacklog(hasBacklog: boolean): void {
    this.hasBacklog = hasBacklog;
    this.wake();
  }

  setUnreadable(id: string, unreadable: boolean): void {
    if (unreadable) this.unreadable.add(id);
    else this.unreadable.delete(id);
  }

  /** Hides an event from subscribers, as a lagging node does. */
  setUndelivered(id: string, late: boolean): void {
    if (late) this.late.add(id);
    else this.late.delete(id);
  }

  override async append({ stream, expected, events, metadata: common }: Append): Promise<AppendedEvents> {
    if (this.down) throw new LogUnavailable('the log is down');
    const stored = events.map(({ id, event, metadata = common }) => storedOf({ id, event, metadata }));
    for (const { event } of stored) this.refuseErased(event);
    const past = this.ofStream(stream);
    const first = expected === 'no_stream' ? 0n : expected + 1n;
    const repeated = past.slice(Number(first), Number(first) + events.length);
    if (
      events.length > 0 &&
      repeated.length === events.length &&
      repeated.every(({ id }, at) => id === events[at]?.id)
    )
      return appendedOf(repeated);
    if (past.length !== Number(first)) throw new WrongExpectedRevision(stream);
    const recorded = stored.map(({ event, ...given }) => this.recorder.record(event, { ...given, stream }));
    this.events.push(...recorded);
    this.wake();
    return appendedOf(recorded);
  }

  override ensureWitnessed(): Promise<void> {
    return Promise.resolve();
  }

  override prove(): Promise<undefined> {
    return this.down ? Promise.reject(new LogUnavailable('the log is down')) : Promise.resolve(undefined);
  }

  override leadership(): Promise<{ holds: true }> {
    return Promise.resolve({ holds: true });
  }

  override read(stream: string, { from, direction, limit }: ReadOptions = {}): Promise<readonly Recorded[]> {
    if (this.down) return Promise.reject(new LogUnavailable('the log is down'));
    const backwards = direction === 'backwards';
    const all = backwards ? this.ofStream(stream).toReversed() : this.ofStream(stream);
    const asked = all.filter(
      ({ revision }) => from === undefined || (backwards ? revision <= from : revision >= from),
    );
    return Promise.resolve(asked.slice(0, limit));
  }

  override find(stream: string, id: string): Promise<EventReference | undefined> {
    if (this.down) return Promise.reject(new LogUnavailable('the log is down'));
    const found = this.ofStream(stream).find((recorded) => recorded.id === id);
    return Promise.resolve(found && referenceTo(found));
  }

  override async verify({ position, eventId }: Checkpoint): Promise<void> {
    if (this.down) throw new LogUnavailable('the log is down');
    const found = this.events.find((recorded) => recorded.position === position);
    if (found?.id !== eventId) throw new LogReplaced(`the log has ${found?.id ?? 'nothing'} at ${position}`);
  }

  override async *references(options: SubscribeOptions): AsyncGenerator<Batch<EventReference>> {
    for await (const { events, caughtUp } of this.batches(options, new Set()))
      yield { events: events.map(referenceTo), caughtUp };
  }

  override undecoded(): never {
    throw new Error('this log has no stored form');
  }

  override head(): Promise<bigint | undefined> {
    if (this.down) return Promise.reject(new LogUnavailable('the log is down'));
    return Promise.resolve(this.events.at(-1)?.position);
  }

  override reach(): Promise<void> {
    return this.down ? Promise.reject(new LogUnavailable('the log is down')) : Promise.resolve();
  }

  override reconnect(): Promise<void> {
    return Promise.resolve();
  }

  override checkWritable(): Promise<void> {
    return this.down ? Promise.reject(new LogUnavailable('the log is down')) : Promise.resolve();
  }

  override explain(): Promise<undefined> {
    return Promise.resolve(undefined);
  }

  override subscribe(options: SubscribeOptions): AsyncGenerator<Batch> {
    return this.batches(options, this.unreadable);
  }

  private async *batches(
    { after, types, batchSize, signal }: SubscribeOptions,
    unreadable: ReadonlySet<string>,
  ): AsyncGenerator<Batch> {
    signal.addEventListener('abort', () => this.wake());
    let position = after?.position ?? 0n;
    if (after) await this.verify(after);
    for (let isFirst = true; !signal.aborted;) {
      if (this.down) throw new LogUnavailable('the log is down');
      // Read before the events: an append while the reader works must not be waited for.
      const news = this.news.promise;
      if (this.slow) {
        await news;
        continue;
      }
      const waiting = this.events.filter(
        (each) => each.position > position && types.includes(each.event.type) && !this.late.has(each.id),
      );
      const batch = waiting.slice(0, batchSize);
      const bad = batch.find(({ id }) => unreadable.has(id));
      const events = bad ? batch.slice(0, batch.indexOf(bad)) : batch;
      const caughtUp = !bad && batch.length === waiting.length;
      const isEnd = caughtUp && !this.hasBacklog;
      if (events.length > 0 || (isEnd && isFirst)) yield { events, caughtUp: isEnd };
      if (bad) throw new UnreadableEvent(`cannot read ${bad.id}`, bad);
      isFirst = false;
      position = events.at(-1)?.position ?? position;
      if (caughtUp && !signal.aborted) await news;
    }
  }

  override close(): Promise<void> {
    return Promise.resolve();
  }

  private ofStream(stream: string): readonly Recorded[] {
    return this.events.filter((recorded) => recorded.stream === stream);
  }

  private refuseErased({ type, data }: StoredEvent): void {
    const person = registryEntryOf(type)?.personal?.person(data);
    if (person !== undefined && this.destroyed.has(person)) throw new PersonErased(person);
  }

  private wake(): void {
    this.news.resolve();
    this.news = Promise.withResolvers<void>();
  }
}

interface UntypedEvent {
  readonly type: string;
  readonly data: object;
}

/** As a store keeps it: checked, and as JSON. @throws the event has a wrong shape, or a text that no database can store. */
function storedOf({ id, event, metadata }: Required<NewEvent>): Required<NewEvent> {
  const data = registryEntryOf(event.type)?.schema.parse(event.data);
  assertStorable([data, metadata]);
  return {
    id,
    ...(JSON.parse(JSON.stringify({ event: { type: event.type, data }, metadata })) as Omit<
      Required<NewEvent>,
      'id'
    >),
  };
}

function appendedOf(recorded: readonly Recorded[]): AppendedEvents {
  const last = recorded.at(-1);
  if (!last) throw new Error('nothing to append');
  return { revision: last.revision, position: last.position };
}

const referenceTo = ({ id, stream, position, metadata }: Recorded): EventReference => ({
  id,
  stream,
  position,
  witnessEpoch: metadata.witnessEpoch,
});
