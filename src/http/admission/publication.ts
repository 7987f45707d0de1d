import type { Pool } from 'pg';
import { readRecoveryState } from '../../recovery/recovery-state.js';

/** Which generation of read models is published, and the Postgres schema it lives in. */
export interface Publication {
  readonly incarnation: string;
  readonly schemaName: string;
}

/**
 * What this process believes is published. Every protected read checks the belief in its own snapshot; whoever finds
 * it wrong calls `refresh`.
 */
export class PublicationCache {
  private known: Publication | undefined;

  constructor(private readonly pool: Pool) {}

  async current(): Promise<Publication | undefined> {
    return this.known ?? this.refresh();
  }

  async refresh(): Promise<Publication | undefined> {
    this.known = await readRecoveryState(this.pool);
    return this.known;
  }
}
