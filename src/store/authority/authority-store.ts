import { AsyncLocalStorage } from 'node:async_hooks';
import type { Client } from 'pg';
import type { DataSource, EntityManager, QueryRunner } from 'typeorm';

/** The way to the authority store. Within {@link transaction}, all that is called there shares one transaction. */
export class AuthorityStore {
  private readonly current = new AsyncLocalStorage<EntityManager>();

  constructor(private readonly dataSource: DataSource) {}

  /** The transaction of the caller, or one statement each. */
  get db(): EntityManager {
    return this.current.getStore() ?? this.dataSource.manager;
  }

  get inTransaction(): boolean {
    return this.current.getStore() !== undefined;
  }

  /**
   * Commits what `work` did once it resolves; rejects, and undoes it, if it rejects. By hand, since TypeORM takes a
   * ROLLBACK that failed for one that was done, and hands the connection to the next with its transaction open.
   */
  async transaction<Result>(work: () => Promise<Result>): Promise<Result> {
    const runner = this.dataSource.createQueryRunner();
    const connection = (await runner.connect()) as Client;
    try {
      inTurn(runner);
      await runner.startTransaction();
      const result = await this.current.run(runner.manager, work);
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
function inTurn(queryRunner: QueryRunner): void {
  const query = queryRunner.query.bind(queryRunner) as (...given: unknown[]) => Promise<unknown>;
  let last: Promise<unknown> = Promise.resolve();
  queryRunner.query = ((...given: unknown[]) => {
    const answered = last.then(() => query(...given));
    last = answered.catch(() => undefined);
    return answered;
  }) as typeof queryRunner.query;
}
