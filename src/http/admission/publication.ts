import { isDeepStrictEqual } from 'node:util';
import type { Pool } from 'pg';
import { readPublicationState } from '../../incarnations/recovery-state.js';

/** Which generation of read models is published, and the Postgres schema it lives in. */
export interface Publication {
  readonly incarnation: string;
  readonly schemaName: string;
  /** Of the projections it was built by. */
  readonly versions: Readonly<Record<string, number>>;
}

/**
 * What this process believes is published. Every protected read checks the belief in its own snapshot; whoever finds
 * it wrong calls `refresh`.
 */
export class PublicationCache {
  #known: Publication | undefined;

  /** `versions`: of the projections that this process knows how to read. */
  constructor(
    private readonly pool: Pool,
    private readonly versions: Readonly<Record<string, number>>,
  ) {}

  /** What was published when it was last looked at. */
  get known(): Publication | undefined {
    return this.#known;
  }

  /** What was published when it was last looked at, if this process can read it; else what is published now. */
  async current(): Promise<Publication | undefined> {
    return this.#known && this.isReadable(this.#known) ? this.#known : this.refresh();
  }

  async refresh(): Promise<Publication | undefined> {
    this.#known = await readPublicationState(this.pool);
    return this.#known;
  }

  /** During an upgrade, tables of another version may be published that the queries here do not fit. */
  isReadable({ versions }: Publication): boolean {
    return isDeepStrictEqual(versions, this.versions);
  }
}
