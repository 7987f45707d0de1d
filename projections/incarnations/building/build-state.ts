import type { ClientBase } from 'pg';
import { inTransaction } from '../../../src/base/store/transaction.js';

/**
 * `loading`: events are applied in bulk, and nothing else may write. `finishing`: backfills and indexes are made, in
 * recorded steps. `built`: later events are applied as a worker does.
 */
export interface BuildState {
  readonly state: 'loading' | 'finishing' | 'built';
  readonly steps: readonly string[];
}

export async function readBuildState(client: ClientBase, incarnation: string): Promise<BuildState> {
  const { rows } = await client.query<BuildState>(
    'SELECT build_state AS state, build_steps AS steps FROM recovery.incarnation WHERE incarnation = $1',
    [incarnation],
  );
  const [row] = rows;
  if (!row) throw new Error(`recovery.incarnation has no row for ${incarnation}, which is being built`);
  return row;
}

export async function setBuildState(
  client: ClientBase,
  incarnation: string,
  state: BuildState['state'],
): Promise<void> {
  await client.query('UPDATE recovery.incarnation SET build_state = $2 WHERE incarnation = $1', [
    incarnation,
    state,
  ]);
}

/**
 * Runs a step and records it in one transaction, unless it is recorded already. Waits for the session of a dead worker
 * on the same step; steps of other names run in parallel.
 */
export async function runBuildStep(
  client: ClientBase,
  incarnation: string,
  { name, sql }: { readonly name: string; readonly sql: string },
): Promise<void> {
  await inTransaction(client, async () => {
    await client.query('SELECT pg_advisory_xact_lock(hashtextextended($1, 0))', [
      `plaza/build/${incarnation}/${name}`,
    ]);
    const { steps } = await readBuildState(client, incarnation);
    if (steps.includes(name)) return;
    await client.query(sql);
    // Last, since this locks a row that all steps update.
    await client.query(
      'UPDATE recovery.incarnation SET build_steps = build_steps || $2::text WHERE incarnation = $1',
      [incarnation, name],
    );
  });
}
