import { firstBrokenLine } from './chain-check.js';
import { WitnessConnections } from './connections.js';
import type { WitnessAddress } from './connections.js';
import { digestIn, digestSql } from './digest.js';
import type { Digest, RestrictionsDigestRow, EpochRange } from './digest.js';
import type { LedgerRequest } from './ledger.js';
import { LedgerWriter } from './ledger-writer.js';
import { restrictionColumns, witnessedIn } from './restriction-row.js';
import type { RestrictionRow } from './restriction-row.js';
import { toNewestShape } from './shape.js';
import { Witness } from './witness.js';
import type {
  AcceptedRestriction,
  RestrictionPlace,
  AppendProof,
  Restriction,
  WitnessedRestriction,
} from './witness.js';

interface AcceptedRow {
  readonly id: string;
  readonly epoch: string;
  readonly position: string | null;
}

export class PostgresWitness extends Witness {
  private readonly connections: WitnessConnections;
  private readonly writer: LedgerWriter;

  constructor(address: WitnessAddress) {
    super();
    this.connections = new WitnessConnections(address);
    this.writer = new LedgerWriter(this.connections);
  }

  prepare(restriction: Restriction, now: number): Promise<WitnessedRestriction> {
    return this.known({ verb: 'prepare', restriction }, now);
  }

  async accept(id: string, proof: AppendProof, now: number): Promise<void> {
    await this.writer.take({ verb: 'accept', id, ...proof }, now);
  }

  async finalize(id: string, now: number): Promise<void> {
    await this.writer.take({ verb: 'finalize', id }, now);
  }

  async withdraw(id: string, now: number): Promise<void> {
    await this.writer.take({ verb: 'withdraw', id }, now);
  }

  async move(id: string, proof: AppendProof, now: number): Promise<void> {
    await this.writer.take({ verb: 'move', id, ...proof }, now);
  }

  reseed(restriction: Restriction, place: RestrictionPlace, now: number): Promise<WitnessedRestriction> {
    return this.known({ verb: 'reseed', restriction, place }, now);
  }

  async find(ids: readonly string[]): Promise<ReadonlyMap<string, WitnessedRestriction>> {
    const found = await this.select('id = ANY ($1::uuid[])', [ids]);
    return new Map(found.map((each) => [each.restriction.id, each]));
  }

  unsettled(before: number, afterEpoch: bigint, limit: number): Promise<readonly WitnessedRestriction[]> {
    const where = `state IN ('prepared', 'accepted') AND prepared_at < $1 AND epoch > $2 ORDER BY epoch LIMIT $3`;
    return this.select(where, [before, afterEpoch, limit]);
  }

  after(epoch: bigint, limit: number): Promise<readonly WitnessedRestriction[]> {
    const where = `state IN ('accepted', 'finalized') AND epoch > $1 ORDER BY epoch LIMIT $2`;
    return this.select(where, [epoch, limit]);
  }

  async acceptedAfter(after: bigint, limit: number): Promise<readonly AcceptedRestriction[]> {
    const text = `SELECT id, epoch, position FROM restriction
      WHERE state IN ('accepted', 'finalized') AND epoch > $1 ORDER BY epoch LIMIT $2`;
    const rows = await this.connections.rows<AcceptedRow>(text, [after, limit]);
    return rows.map(({ id, epoch, position }) => ({
      id,
      epoch: BigInt(epoch),
      position: position === null ? undefined : BigInt(position),
    }));
  }

  async digest({ after, upTo }: EpochRange): Promise<Digest> {
    const text = `SELECT ${digestSql({ id: 'id', epoch: 'epoch' })} FROM restriction
      WHERE state IN ('accepted', 'finalized') AND epoch > $1 AND epoch <= $2`;
    const [row] = await this.connections.rows<RestrictionsDigestRow>(text, [after, upTo]);
    return digestIn(row);
  }

  withdrawn(afterEpoch: bigint, limit: number): Promise<readonly WitnessedRestriction[]> {
    return this.select(`state = 'withdrawn' AND epoch > $1 ORDER BY epoch LIMIT $2`, [afterEpoch, limit]);
  }

  ofOperators(stream: string): Promise<readonly WitnessedRestriction[]> {
    // The condition of the index: without it, a large ledger would be read whole.
    const where = `(content #>> '{event,type}' LIKE 'operator.%' OR content #>> '{event,type}' = 'network.shared_token_limited')
      AND content #>> '{stream}' = $1 AND state <> 'withdrawn' ORDER BY epoch`;
    return this.select(where, [stream]);
  }

  erasures(afterEpoch: bigint, limit: number): Promise<readonly WitnessedRestriction[]> {
    const where = `content #>> '{event,type}' = 'account.erased' AND state IN ('accepted', 'finalized')`;
    return this.select(`${where} AND epoch > $1 ORDER BY epoch LIMIT $2`, [afterEpoch, limit]);
  }

  firstBroken(): Promise<bigint | undefined> {
    return this.connections.hold(firstBrokenLine);
  }

  async close(): Promise<void> {
    await this.connections.close();
  }

  private async known(ask: LedgerRequest, now: number): Promise<WitnessedRestriction> {
    const known = await this.writer.take(ask, now);
    if (known) return known;
    throw new Error(`the ledger returned no restriction for the command that it executed: ${ask.verb}`);
  }

  private async select(where: string, values: unknown[]): Promise<readonly WitnessedRestriction[]> {
    const text = `SELECT ${restrictionColumns} FROM restriction WHERE ${where}`;
    const rows = await this.connections.rows<RestrictionRow>(text, values);
    return rows.map((row) => toNewestShape(witnessedIn(row)));
  }
}
