import type { ClientBase } from 'pg';
import { Client } from 'pg';
import { auditGroup } from '../../projections/audit/audit.projection.js';
import { dispatcherOf } from '../../projections/runner/projection.js';
import { UnitOfWork } from '../../projections/runner/unit-of-work.js';
import type { Recorded } from '../../src/log/recorded.js';
import { inTransaction } from '../../src/base/store/transaction.js';
import type { Random } from './random.js';

const BATCH = 1_000;
/** Keeps one of each hundred events, to draw the values of searches from. */
const SAMPLE = 100;

/** Applies events to the audit as the worker does, without a log. Returns a sample of them. */
export async function fillAudit(
  databaseUrl: string,
  events: Iterable<Recorded>,
  random: Random,
): Promise<readonly Recorded[]> {
  const client = new Client({ connectionString: databaseUrl, application_name: 'bench' });
  await client.connect();
  try {
    await client.query('SET search_path = audit');
    const sample: Recorded[] = [];
    let batch: Recorded[] = [];
    for (const recorded of events) {
      batch.push(recorded);
      if (random.chance(1 / SAMPLE)) sample.push(recorded);
      if (batch.length < BATCH) continue;
      await apply(client, batch);
      batch = [];
    }
    await apply(client, batch);
    // The tables of a network that has this many events have been vacuumed many times.
    await client.query('VACUUM (ANALYZE) event, about, app_hour, app_actor_hour, app_actor');
    return sample;
  } finally {
    await client.end();
  }
}

const handle = dispatcherOf(auditGroup);

async function apply(client: ClientBase, batch: readonly Recorded[]): Promise<void> {
  const work = new UnitOfWork();
  for (const recorded of batch) handle(recorded, work.write);
  await inTransaction(client, () => work.flush(client));
}
