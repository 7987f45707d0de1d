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

  /** Part of the transaction in progress, if there is one. */
  query<Row extends object>(query: QueryConfig): Promise<QueryResult<Row>> {
    const transaction = this.current.getStore();
    return transaction
      ? transaction.enqueue(() => transaction.connection.query<Row>(query))
      : poolOf(this.dataSource).query<Row>(query);
  }

  /**
   * Commits once `work` resolves; rolls back and rejects if it rejects. Nested calls join the outer transaction.
   * Hand-written, because TypeORM takes a failed ROLLBACK for a done one and returns the connection to the pool with
   * its transaction open.
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
        throw new Error("transaction aborted: a statement's error was swallowed");
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

/** Serializes concurrent queries on one connection: `pg` will stop queueing them. */
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
