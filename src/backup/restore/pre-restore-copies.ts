import type { ClientBase } from 'pg';

/** What a restore replaced in one database, kept in schemas of its own. */
export class PreRestoreCopy {
  readonly schemas: string[] = [];

  /** `stamp`: of `[a-z0-9]`, another for each restore. */
  constructor(private readonly stamp: string) {}

  /** Copies a table aside. */
  async copy(client: ClientBase, table: string): Promise<void> {
    const [schema = '', name = ''] = table.split('.');
    await client.query(`CREATE TABLE ${await this.#schemaFor(client, schema)}.${name} AS TABLE ${table}`);
  }

  /** Copies tables aside, and empties them. */
  async empty(client: ClientBase, tables: readonly string[]): Promise<void> {
    for (const table of tables) await this.copy(client, table);
    await client.query(`TRUNCATE ${tables.join(', ')}`);
  }

  /** Moves a whole schema aside, for good. */
  async moveSchema(client: ClientBase, schema: string): Promise<void> {
    const kept = this.#nameFor(schema);
    await client.query(`ALTER SCHEMA ${schema} RENAME TO ${kept}`);
    this.schemas.push(kept);
  }

  /** Where a table of that schema is kept. */
  placeOf(table: string): string {
    const [schema = '', name = ''] = table.split('.');
    return `${this.#nameFor(schema)}.${name}`;
  }

  async #schemaFor(client: ClientBase, schema: string): Promise<string> {
    const kept = this.#nameFor(schema);
    if (!this.schemas.includes(kept)) {
      await client.query(`CREATE SCHEMA ${kept}`);
      this.schemas.push(kept);
    }
    return kept;
  }

  #nameFor(schema: string): string {
    return `kept_${this.stamp}_${schema}`;
  }
}
