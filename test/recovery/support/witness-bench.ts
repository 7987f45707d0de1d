import { Client } from 'pg';
import { restrictionHash } from '../../../src/log/witness/canonical.js';
import type {
  AppendProof,
  Restriction,
  RestrictionState,
  Witness,
} from '../../../src/log/witness/witness.js';
import type { TestPostgres } from '../../support/postgres.js';
import { openReadyWitness } from '../../support/witness.js';

/** A witness database with two clients of Plaza and a plain connection. */
export class WitnessBench {
  private constructor(
    readonly url: string,
    readonly witness: Witness,
    readonly other: Witness,
    readonly database: Client,
  ) {}

  static async open(postgres: TestPostgres): Promise<WitnessBench> {
    const url = await postgres.createDatabase();
    const witness = await openReadyWitness(url, 'one');
    const other = await openReadyWitness(url, 'other');
    const database = new Client({ connectionString: url });
    await database.connect();
    return new WitnessBench(url, witness, other, database);
  }

  async stateOf({ id }: Restriction): Promise<RestrictionState | undefined> {
    return (await this.witness.find([id])).get(id)?.state;
  }

  async finalized(restriction: Restriction, position = 7n): Promise<void> {
    await this.witness.prepare(restriction, 1);
    await this.witness.accept(restriction.id, proofOf(restriction, position), 2);
    await this.witness.finalize(restriction.id, 3);
  }

  async close(): Promise<void> {
    await Promise.all([this.witness.close(), this.other.close(), this.database.end()]);
  }
}

/** The proof of a log that has the restriction at this position. */
export const proofOf = (restriction: Restriction, position = 7n): AppendProof => ({
  hash: restrictionHash(restriction),
  position,
});
