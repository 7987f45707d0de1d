import { isDeepStrictEqual } from 'node:util';
import type { Pool } from 'pg';
import { readPublicationState } from '../../incarnations/recovery-state.js';

export interface Publication {
  readonly incarnation: string;
  readonly schemaName: string;
  readonly versions: Readonly<Record<string, number>>;
}

/**
 * Caches the publication of this process. Every protected read checks the cache in its own snapshot and calls
 * `refresh` if it is stale.
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
   * Returns the cached publication if this process can read it, else the current one; undefined before the first
   * publication.
   */
  async current(): Promise<Publication | undefined> {
    return this.#known && this.isReadable(this.#known) ? this.#known : this.refresh();
  }

  async refresh(): Promise<Publication | undefined> {
    this.#known = await readPublicationState(this.pool);
    return this.#known;
  }

  /** During a blue-green upgrade the published tables may have a version that these queries do not fit. */
  isReadable({ versions }: Publication): boolean {
    return isDeepStrictEqual(versions, this.versions);
  }
}
