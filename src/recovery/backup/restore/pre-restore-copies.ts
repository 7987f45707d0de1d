import type { ClientBase } from 'pg';

export class PreRestoreCopy {
  readonly schemas: string[] = [];

  /** `stamp`: part of the names of the copies, of the characters `[a-z0-9]`, unique for each restore. */
  constructor(private readonly stamp: string) {}

  async copyTable(client: ClientBase, table: string): Promise<void> {
    const [schema = '', name = ''] = table.split('.');
    await client.query(`CREATE TABLE ${await this.#schemaFor(client, schema)}.${name} AS TABLE ${table}`);
  }

  async copyAndTruncate(client: ClientBase, tables: readonly string[]): Promise<void> {
    for (const table of tables) await this.copyTable(client, table);
    await client.query(`TRUNCATE ${tables.join(', ')}`);
  }

  async moveSchema(client: ClientBase, schema: string): Promise<void> {
    const target = this.#nameFor(schema);
    await client.query(`ALTER SCHEMA ${schema} RENAME TO ${target}`);
    this.schemas.push(target);
  }

  copiedTable(table: string): string {
    const [schema = '', name = ''] = table.split('.');
    return `${this.#nameFor(schema)}.${name}`;
  }

  async #schemaFor(client: ClientBase, schema: string): Promise<string> {
    const target = this.#nameFor(schema);
    if (!this.schemas.includes(target)) {
      await client.query(`CREATE SCHEMA ${target}`);
      this.schemas.push(target);
    }
    return target;
  }

  #nameFor(schema: string): string {
    return `kept_${this.stamp}_${schema}`;
  }
}
