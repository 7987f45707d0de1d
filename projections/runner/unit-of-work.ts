import type { ClientBase } from 'pg';
import type { Statement, Write } from './projection.js';

/** Rows that go to Postgres in one call. */
interface Run {
  readonly statement: Pick<Statement<never>, 'name' | 'sql' | 'bulkSql'>;
  readonly rows: object[];
}

/**
 * Collects the writes of a batch and sends them as few statements: a write joins the newest run of its statement unless
 * a run after that, or that run itself, has the same key of the same table. So the writes of one key keep their order,
 * and a rebuild costs a handful of calls a batch.
 */
export class UnitOfWork {
  /** `isBulk`: whether statements take the short way that they have in the build of an incarnation. */
  constructor(private readonly isBulk = false) {}

  private readonly runs: Run[] = [];
  /** Number of the newest run of each statement, and of the run that last wrote each key of each table. */
  private readonly newest = new Map<object, number>();
  private readonly written = new Map<string, Map<string, number>>();

  readonly write: Write = (statement, row) => {
    if (this.isBulk && statement.bulkSql === null) return;
    let keys = this.written.get(statement.table);
    if (!keys) this.written.set(statement.table, (keys = new Map()));
    const key = statement.key(row);
    let number = this.newest.get(statement) ?? -1;
    const firstJoined = (keys.get(key) ?? -1) + (statement.manyOfOneKey ? 0 : 1);
    if (number < Math.max(firstJoined, 0)) {
      number = this.runs.push({ statement, rows: [] }) - 1;
      this.newest.set(statement, number);
    }
    this.runs[number]?.rows.push(row);
    keys.set(key, number);
  };

  /** Sends everything, in order, inside the transaction that is open. Each text is prepared once a connection. */
  async flush(client: ClientBase): Promise<void> {
    for (const { statement, rows } of this.runs) {
      const text = (this.isBulk ? statement.bulkSql : undefined) ?? statement.sql;
      const name = text === statement.sql ? statement.name : `${statement.name}.in-build`;
      await client.query({ name, text, values: [JSON.stringify(rows)] });
    }
  }
}
