import { AsyncLocalStorage } from 'node:async_hooks';
import type { Client, QueryConfig, QueryResult } from 'pg';
import type { DataSource, EntityManager, QueryRunner } from 'typeorm';
import { poolOf } from '../postgres.js';

export interface PreparedStatement {
  readonly name: string;
  readonly text: string;
}

type Queue = <Answer>(request: () => Promise<Answer>) => Promise<Answer>;

interface Transaction {
  readonly manager: EntityManager;
  readonly connection: Client;
  readonly enqueue: Queue;
}

export class AuthorityStore {
  private readonly current = new AsyncLocalStorage<Transaction>();

  constructor(private readonly dataSource: DataSource) {}

  get db(): EntityManager {
    return this.current.getStore()?.manager ?? this.dataSource.manager;
  }

  async rows<Row extends object>(statement: PreparedStatement, values: unknown[]): Promise<Row[]> {
    const { rows } = await this.query<Row>({ ...statement, values });
    return rows;
  }

  /** Sends one statement: inside {@link transaction} as a part of it, otherwise on its own connection of the pool. */
  query<Row extends object>(query: QueryConfig): Promise<QueryResult<Row>> {
    const transaction = this.current.getStore();
    return transaction
      ? transaction.enqueue(() => transaction.connection.query<Row>(query))
      : poolOf(this.dataSource).query<Row>(query);
  }

  /**
   * Runs `work` in a transaction. Commits once `work` resolves; rolls back and rejects if it rejects. A nested call
   * joins the outer transaction. Not done by TypeORM: it takes a failed ROLLBACK for a successful one, and returns
   * the connection to the pool with its transaction open.
   */
  async transaction<Result>(work: () => Promise<Result>): Promise<Result> {
    if (this.current.getStore()) return work();
    const runner = this.dataSource.createQueryRunner();
    const connection = (await runner.connect()) as Client;
    try {
      const enqueue = serialized(runner);
      await runner.startTransaction();
      const result = await this.current.run({ manager: runner.manager, connection, enqueue }, work);
      // Postgres treats the COMMIT of a failed transaction as a ROLLBACK and reports success.
      if (connection.getTransactionStatus() === 'E')
        throw new Error(
          'the transaction was rolled back: a statement in it failed, and its caller ignored the error',
        );
      await runner.commitTransaction();
      return result;
    } catch (error) {
      // An ended connection never returns to the pool, and the server rolls its transaction back.
      await runner.rollbackTransaction().catch(() => void connection.end());
      throw error;
    } finally {
      await runner.release();
    }
  }
}

/**
 * Sends the queries of one connection one after the other. `pg` queues concurrent queries itself, but will no longer
 * do so in its next major version.
 */
function serialized(queryRunner: QueryRunner): Queue {
  let last: Promise<unknown> = Promise.resolve();
  const enqueue: Queue = (request) => {
    const result = last.then(request);
    last = result.catch(() => undefined);
    return result;
  };
  const query = queryRunner.query.bind(queryRunner) as (...args: unknown[]) => Promise<unknown>;
  queryRunner.query = ((...args: unknown[]) => enqueue(() => query(...args))) as typeof queryRunner.query;
  return enqueue;
}
