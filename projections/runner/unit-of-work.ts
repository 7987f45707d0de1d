import type { ClientBase, QueryConfig } from 'pg';
import type { Statement, Write } from './projection.js';

interface Call {
  readonly statement: Pick<Statement<never>, 'name' | 'sql' | 'bulkSql'>;
  readonly rows: object[];
}

/**
 * Collects the writes of a batch and sends them in few calls. A write joins the newest call of its statement, unless
 * that call or a later one has the same key of the same table. So the writes of one key keep their order, and a batch
 * costs a handful of calls.
 */
export class UnitOfWork {
  constructor(private readonly isBulk = false) {}

  private readonly calls: Call[] = [];
  private readonly newestCalls = new Map<object, number>();
  private readonly callsByKey = new Map<string, Map<string, number>>();

  readonly write: Write = (statement, row) => {
    if (this.isBulk && statement.bulkSql === null) return;
    let keys = this.callsByKey.get(statement.table);
    if (!keys) this.callsByKey.set(statement.table, (keys = new Map()));
    const key = statement.key(row);
    let index = this.newestCalls.get(statement) ?? -1;
    const firstJoined = (keys.get(key) ?? -1) + (statement.manyOfOneKey ? 0 : 1);
    if (index < Math.max(firstJoined, 0)) {
      index = this.calls.push({ statement, rows: [] }) - 1;
      this.newestCalls.set(statement, index);
    }
    this.calls[index]?.rows.push(row);
    keys.set(key, index);
  };

  /** The calls in their order, each a prepared statement. */
  statements(): QueryConfig[] {
    return this.calls.map(({ statement, rows }) => {
      const text = (this.isBulk ? statement.bulkSql : undefined) ?? statement.sql;
      const name = text === statement.sql ? statement.name : `${statement.name}.in-build`;
      return { name, text, values: [JSON.stringify(rows)] };
    });
  }

  async flush(client: ClientBase): Promise<void> {
    for (const statement of this.statements()) await client.query(statement);
  }
}
