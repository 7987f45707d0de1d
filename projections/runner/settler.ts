import type { ClientBase } from 'pg';
import type { Recorded } from '../../src/log/recorded.js';
import type { Group, Settling } from './projection.js';

/** Does what batches leave behind ({@link Settling}), a step at a time, so that no batch waits for long. */
export class Settler {
  private readonly all: readonly Settling[];
  private readonly due: Set<Settling>;

  constructor(
    private readonly client: ClientBase,
    { projections }: Group,
  ) {
    this.all = projections.flatMap(({ settling = [] }) => settling);
    // A former worker may have left some.
    this.due = new Set(this.all);
  }

  get hasWork(): boolean {
    return this.due.size > 0;
  }

  notice(events: readonly Recorded[]): void {
    for (const settling of this.all)
      if (events.some(({ event }) => settling.after.includes(event.type))) this.due.add(settling);
  }

  async step(): Promise<void> {
    for (const settling of this.due) {
      const { rows } = await this.client.query<{ more: boolean }>({
        name: settling.name,
        text: settling.sql,
      });
      if (!rows[0]?.more) this.due.delete(settling);
    }
  }
}
