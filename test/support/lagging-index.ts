import { EventIndex, RecordView } from '@plaza/event-store/testing';
import type { Store } from '@plaza/event-store/testing';

/** A follower's copy of its leader's log: complete a moment later, or unchanged while it is held back. */
export class LaggingIndex {
  readonly index = new EventIndex();
  private readonly view = new RecordView();
  private readonly listeners = new Set<() => void>();
  private isHeldBack = false;
  private copying: Promise<void> | undefined;

  constructor(private readonly store: Store) {
    store.onCommit(() => void this.copy());
  }

  holdBack(): void {
    this.isHeldBack = true;
  }

  /** Resolves when it has everything that the leader has now. */
  catchUp(): Promise<void> {
    this.isHeldBack = false;
    return this.catchUpUnlessHeldBack();
  }

  /** Like {@link LaggingIndex.catchUp}, but does not release it. */
  async catchUpUnlessHeldBack(): Promise<void> {
    while (!this.isHeldBack && this.index.count < this.store.index.count) await this.copy();
  }

  /** Calls `wake` for new events. Returns a function that ends this. */
  onCommit(wake: () => void): () => void {
    this.listeners.add(wake);
    return () => this.listeners.delete(wake);
  }

  private copy(): Promise<void> {
    this.copying ??= this.copyAll().finally(() => (this.copying = undefined));
    return this.copying;
  }

  private async copyAll(): Promise<void> {
    while (!this.isHeldBack && this.index.count < this.store.index.count) {
      const { count } = this.index;
      const length = Math.min(64, this.store.index.count - count);
      const records = await this.store.records.read(Array.from({ length }, (_, i) => count + i));
      if (this.isHeldBack) return;
      for (const record of records) this.index.add(this.view.at(record, 0), record.length);
    }
    for (const wake of this.listeners) wake();
  }
}
