import { AsyncLocalStorage } from 'node:async_hooks';
import type { Client } from 'pg';
import type { DataSource, EntityManager, QueryRunner } from 'typeorm';
import { poolOf } from '../postgres.js';

/** Statements that Postgres prepares once for each connection, by their name. */
export interface Prepared {
  readonly name: string;
  readonly text: string;
}

/** What is asked of one connection waits for what was asked before. */
type Turn = <Answer>(ask: () => Promise<Answer>) => Promise<Answer>;

interface Transaction {
  readonly manager: EntityManager;
  readonly connection: Client;
  readonly turn: Turn;
}

/** The way to the authority store. Within {@link transaction}, all that is called there shares one transaction. */
export class AuthorityStore {
  private readonly current = new AsyncLocalStorage<Transaction>();

  constructor(private readonly dataSource: DataSource) {}

  /** The transaction of the caller, or one statement each. */
  get db(): EntityManager {
    return this.current.getStore()?.manager ?? this.dataSource.manager;
  }

  /** The rows of a statement that is asked often, where {@link db} asks. */
  async rows<Row extends object>(statement: Prepared, values: unknown[]): Promise<Row[]> {
    const transaction = this.current.getStore();
    const query = { ...statement, values };
    const { rows } = transaction
      ? await transaction.turn(() => transaction.connection.query<Row>(query))
      : await poolOf(this.dataSource).query<Row>(query);
    return rows;
  }

  /**
   * Commits what `work` did once it resolves; rejects, and undoes it, if it rejects. Within another transaction it is a
   * part of that. By hand, since TypeORM takes a ROLLBACK that failed for one that was done, and hands the connection to
   * the next with its transaction open.
   */
  async transaction<Result>(work: () => Promise<Result>): Promise<Result> {
    if (this.current.getStore()) return work();
    const runner = this.dataSource.createQueryRunner();
    const connection = (await runner.connect()) as Client;
    try {
      const turn = inTurn(runner);
      await runner.startTransaction();
      const result = await this.current.run({ manager: runner.manager, connection, turn }, work);
      // Postgres takes the COMMIT of a transaction in which a statement failed for a ROLLBACK, and calls it a success.
      if (connection.getTransactionStatus() === 'E') throw new Error('a statement failed and nobody minded');
      await runner.commitTransaction();
      return result;
    } catch (error) {
      // An ended connection goes into no pool, and the server undoes what was open on it.
      await runner.rollbackTransaction().catch(() => void connection.end());
      throw error;
    } finally {
      await runner.release();
    }
  }
}

/** One connection answers one query at a time; who asks for two at once is put in a row, which `pg` will not do for long. */
function inTurn(queryRunner: QueryRunner): Turn {
  let last: Promise<unknown> = Promise.resolve();
  const turn: Turn = (ask) => {
    const answered = last.then(ask);
    last = answered.catch(() => undefined);
    return answered;
  };
  const query = queryRunner.query.bind(queryRunner) as (...given: unknown[]) => Promise<unknown>;
  queryRunner.query = ((...given: unknown[]) => turn(() => query(...given))) as typeof queryRunner.query;
  return turn;
}
