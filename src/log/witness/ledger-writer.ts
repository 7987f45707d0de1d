import type { PoolClient } from 'pg';
import { DeadlineExceeded, within } from '../client-errors.js';
import type { WitnessConnections } from './connections.js';
import { decide, evolve, nextLine, restrictionIdOf } from './ledger.js';
import type { LedgerRequest, LedgerHead, LedgerLine } from './ledger.js';
import { restrictionColumns, restrictionRowOf, witnessedIn } from './restriction-row.js';
import type { RestrictionRow } from './restriction-row.js';
import { toNewestShape } from './shape.js';
import { WitnessMismatch, WitnessUnavailable } from './witness.js';
import type { WitnessedRestriction } from './witness.js';

const BATCH = 200;
const TIMEOUT_MS = 3_000;

interface QueuedCommand {
  readonly ask: LedgerRequest;
  readonly now: number;
  readonly resolve: (known: WitnessedRestriction | undefined) => void;
  readonly reject: (error: unknown) => void;
}

type Outcome = WitnessedRestriction | undefined | WitnessMismatch;

/**
 * Writes commands to the ledger with group commit: commands that arrive during a transaction share the next one,
 * because each transaction locks the head of the hash chain.
 */
export class LedgerWriter {
  private queue: QueuedCommand[] = [];
  private isWriting = false;

  constructor(private readonly connections: WitnessConnections) {}

  /**
   * @returns The restriction after the command; undefined: the ledger has none with this id.
   * @throws {WitnessMismatch} {@link WitnessUnavailable}
   */
  async take(ask: LedgerRequest, now: number): Promise<WitnessedRestriction | undefined> {
    const { promise, resolve, reject } = Promise.withResolvers<WitnessedRestriction | undefined>();
    this.queue.push({ ask, now, resolve, reject });
    if (!this.isWriting) void this.write();
    try {
      return await within(TIMEOUT_MS, () => promise);
    } catch (cause) {
      if (!(cause instanceof DeadlineExceeded)) throw cause;
      throw new WitnessUnavailable('The witness takes too long.', { cause });
    }
  }

  private async write(): Promise<void> {
    this.isWriting = true;
    while (this.queue.length > 0) {
      const batch = this.queue.splice(0, BATCH);
      try {
        const outcomes = await this.connections.transaction((client) => applyAll(client, batch));
        for (const [index, { resolve, reject }] of batch.entries()) {
          const outcome = outcomes[index];
          if (outcome instanceof WitnessMismatch) reject(outcome);
          else resolve(outcome && toNewestShape(outcome));
        }
      } catch (error) {
        for (const { reject } of batch) reject(error);
      }
    }
    this.isWriting = false;
  }
}

/** Applies a batch of commands in order, within a transaction: its lock on the head excludes all other writers. */
async function applyAll(client: PoolClient, batch: readonly QueuedCommand[]): Promise<readonly Outcome[]> {
  const before = await lockHead(client);
  // A separate statement after the lock: its snapshot includes the previous writer's lines.
  const { byId, epochs } = await lookUp(client, batch);
  const lines: LedgerLine[] = [];
  const changed = new Map<string, WitnessedRestriction>();
  let head = before;
  const outcomes = batch.map(({ ask, now }): Outcome => {
    const id = restrictionIdOf(ask);
    try {
      const step = decide(byId.get(id), ask, head, (epoch) => epochs.has(epoch));
      if (!step) return byId.get(id);
      const written = nextLine(head, step, now);
      const after = evolve(byId.get(id), step, now);
      lines.push(written);
      head = written;
      byId.set(id, after);
      epochs.add(after.epoch);
      changed.set(id, after);
      return after;
    } catch (error) {
      if (error instanceof WitnessMismatch) return error;
      throw error;
    }
  });
  if (lines.length > 0) await persist(client, head, lines, [...changed.values()]);
  return outcomes;
}

async function lockHead(client: PoolClient): Promise<LedgerHead> {
  const text = 'SELECT line, hash, epoch FROM head FOR UPDATE';
  const { rows } = await client.query<{ line: string; hash: Buffer; epoch: string }>(text);
  const [row] = rows;
  if (!row)
    throw new Error(
      'nothing can be written to the witness: its database has lost the row that names the last line of the ledger',
    );
  return { line: BigInt(row.line), hash: row.hash, epoch: BigInt(row.epoch) };
}

async function lookUp(client: PoolClient, batch: readonly QueuedCommand[]) {
  const ids = batch.map(({ ask }) => restrictionIdOf(ask));
  const epochs = batch.flatMap(({ ask }) =>
    ask.verb === 'reseed' && ask.place.epoch !== undefined ? [String(ask.place.epoch)] : [],
  );
  const { rows } = await client.query<RestrictionRow>({
    name: 'witness.look-up',
    text: `SELECT ${restrictionColumns} FROM restriction WHERE id = ANY ($1::uuid[])
      UNION ALL SELECT ${restrictionColumns} FROM restriction WHERE epoch = ANY ($2::bigint[])`,
    values: [ids, epochs],
  });
  const found = rows.map(witnessedIn);
  return {
    byId: new Map(found.map((each) => [each.restriction.id, each])),
    epochs: new Set(found.map(({ epoch }) => epoch)),
  };
}

async function persist(
  client: PoolClient,
  head: LedgerHead,
  lines: readonly LedgerLine[],
  changed: readonly WitnessedRestriction[],
): Promise<void> {
  await client.query({
    name: 'witness.keep',
    text: `
      WITH added AS (
        INSERT INTO ledger (line, text, hash)
        SELECT line, text, decode(hash, 'hex') FROM json_to_recordset($1) AS l (line bigint, text text, hash text)
      ), kept AS (
        INSERT INTO restriction (${restrictionColumns})
        SELECT epoch, id, state, decode(hash, 'hex'), position, prepared_at, content
        FROM json_to_recordset($2) AS r (epoch bigint, id uuid, state text, hash text, position numeric,
          prepared_at bigint, content json)
        ON CONFLICT (id) DO UPDATE SET epoch = excluded.epoch, state = excluded.state,
          position = excluded.position
      )
      UPDATE head SET line = $3, hash = $4, epoch = $5`,
    values: [
      JSON.stringify(
        lines.map(({ line, text, hash }) => ({ line: String(line), text, hash: hash.toString('hex') })),
      ),
      JSON.stringify(changed.map(restrictionRowOf)),
      String(head.line),
      head.hash,
      String(head.epoch),
    ],
  });
}
