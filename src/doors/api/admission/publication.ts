import { isDeepStrictEqual } from 'node:util';
import type { Pool } from 'pg';
import { readPublicationState } from '../../../../projections/incarnations/recovery-state.js';

export interface Publication {
  readonly incarnation: string;
  readonly schemaName: string;
  readonly versions: Readonly<Record<string, number>>;
}

/**
 * Caches which incarnation is published. The statement of every protected read checks in its own snapshot that this is
 * still so; if not, `refresh` is called and the statement repeated.
 */
export class PublicationCache {
  #known: Publication | undefined;

  constructor(
    private readonly pool: Pool,
    private readonly versions: Readonly<Record<string, number>>,
  ) {}

  get cached(): Publication | undefined {
    return this.#known;
  }

  /**
   * Returns the cached publication if the queries of this process fit its tables, else the one now in the database;
   * undefined before the first publication.
   */
  async current(): Promise<Publication | undefined> {
    return this.#known && this.isReadable(this.#known) ? this.#known : this.refresh();
  }

  async refresh(): Promise<Publication | undefined> {
    this.#known = await readPublicationState(this.pool);
    return this.#known;
  }

  /**
   * False if the published tables have other versions than the queries of this process, as during a blue-green upgrade.
   */
  isReadable({ versions }: Publication): boolean {
    return isDeepStrictEqual(versions, this.versions);
  }
}
