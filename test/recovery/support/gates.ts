import { Client } from 'pg';
import { until } from '../../support/until.js';

/** A trigger that stops a session: `AFTER`/`BEFORE …` up to its table, and its condition. */
export interface Gate {
  readonly name: string;
  readonly at: string;
  readonly when?: string;
}

/**
 * Gates in one database, closed at first. A session that reaches one waits until it is opened, so that a test knows
 * the exact statement of a process.
 */
export class Gates {
  private constructor(
    private readonly client: Client,
    private readonly gates: readonly Gate[],
  ) {}

  static async install(databaseUrl: string, gates: readonly Gate[]): Promise<Gates> {
    const client = new Client({ connectionString: databaseUrl, application_name: 'gates' });
    await client.connect();
    await client.query(`
      CREATE OR REPLACE FUNCTION gate() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
        PERFORM pg_advisory_xact_lock_shared(4711, TG_ARGV[0]::integer);
        RETURN NEW;
      END $$`);
    for (const [key, { at, when = 'true' }] of gates.entries()) {
      await client.query('SELECT pg_advisory_lock(4711, $1)', [key]);
      await client.query(
        `CREATE OR REPLACE TRIGGER gate_${key} ${at} FOR EACH ROW WHEN (${when}) EXECUTE FUNCTION public.gate(${key})`,
      );
    }
    return new Gates(client, gates);
  }

  /** Waits until a session has reached the gate. */
  async waitUntilReached(name: string): Promise<void> {
    await until(async () => (await this.waiting(name)) > 0);
  }

  /** Ends the sessions at a gate, as the end of their process does. */
  async terminateSessions(name: string): Promise<void> {
    await this.client.query(
      `SELECT pg_terminate_backend(pid) FROM pg_locks
      WHERE locktype = 'advisory' AND classid = 4711 AND objid = $1 AND NOT granted`,
      [this.keyOf(name)],
    );
  }

  async open(name: string): Promise<void> {
    await this.client.query('SELECT pg_advisory_unlock(4711, $1)', [this.keyOf(name)]);
  }

  /** Opens all gates. */
  async close(): Promise<void> {
    await this.client.end();
  }

  private async waiting(name: string): Promise<number> {
    const { rowCount } = await this.client.query(
      `SELECT FROM pg_locks WHERE locktype = 'advisory' AND classid = 4711 AND objid = $1 AND NOT granted`,
      [this.keyOf(name)],
    );
    return rowCount ?? 0;
  }

  private keyOf(name: string): number {
    return this.gates.findIndex((gate) => gate.name === name);
  }
}
