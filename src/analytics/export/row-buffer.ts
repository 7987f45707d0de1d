import type { Row, Value } from '../columns/rows.js';
import { dayOf } from '../data-set/paths.js';
import type { Columns } from '../data-set/parquet.js';

/** Rows that are not written yet, by day. */
export class RowBuffer {
  rows = 0;
  textLength = 0;
  private days = new Map<string, Record<string, Value[]>>();

  constructor(private readonly columns: readonly string[]) {}

  add({ at, values }: Row): void {
    const day = dayOf(at);
    let data = this.days.get(day);
    if (!data) {
      data = Object.fromEntries(this.columns.map((name) => [name, []]));
      this.days.set(day, data);
    }
    for (const name of this.columns) {
      const value = values[name];
      data[name]?.push(value);
      if (typeof value === 'string') this.textLength += value.length;
    }
    this.rows += 1;
  }

  take(): ReadonlyMap<string, Columns> {
    const taken = this.days;
    this.days = new Map();
    this.rows = 0;
    this.textLength = 0;
    return taken;
  }
}
