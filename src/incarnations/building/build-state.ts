import type { ClientBase } from 'pg';
import { inTransaction } from '../../store/transaction.js';

/**
 * How far the build of an incarnation is. `loading`: events are applied the short way, and nothing else may be; then
 * `finishing`, in steps that are each done or not; `built`: live application goes on with it.
 */
export interface BuildState {
  readonly state: 'loading' | 'finishing' | 'built';
  /** Names of the finishing steps that are done. */
  readonly steps: readonly string[];
}

export async function readBuildState(client: ClientBase, incarnation: string): Promise<BuildState> {
  const { rows } = await client.query<BuildState>(
    'SELECT build_state AS state, build_steps AS steps FROM recovery.incarnation WHERE incarnation = $1',
    [incarnation],
  );
  const [row] = rows;
  if (!row) throw new Error(`There is no incarnation ${incarnation}.`);
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
 * Does a step and notes it, wholly or not at all. Whoever was at it before and died is waited for, if Postgres has not
 * noticed yet; who is at another step is not.
 */
export async function doStep(
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
    // Last: the row is everybody's, and locked from here on.
    await client.query(
      'UPDATE recovery.incarnation SET build_steps = build_steps || $2::text WHERE incarnation = $1',
      [incarnation, name],
    );
  });
}
