import { AsyncLocalStorage } from 'node:async_hooks';
import type { DataSource, EntityManager } from 'typeorm';

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

  /** Commits what `work` did once it resolves; rejects, and undoes it, if it rejects. */
  transaction<Result>(work: () => Promise<Result>): Promise<Result> {
    return this.dataSource.transaction((manager) => {
      inTurn(manager);
      return this.current.run(manager, work);
    });
  }
}

/** One connection answers one query at a time; who asks for two at once is put in a row, which `pg` will not do for long. */
function inTurn({ queryRunner }: EntityManager): void {
  if (!queryRunner) return;
  const query = queryRunner.query.bind(queryRunner) as (...given: unknown[]) => Promise<unknown>;
  let last: Promise<unknown> = Promise.resolve();
  queryRunner.query = ((...given: unknown[]) => {
    const answered = last.then(() => query(...given));
    last = answered.catch(() => undefined);
    return answered;
  }) as typeof queryRunner.query;
}
