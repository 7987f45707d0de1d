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
    return this.dataSource.transaction((manager) => this.current.run(manager, work));
  }
}
