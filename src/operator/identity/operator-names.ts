import type { Pool } from 'pg';
import { operatorNameKey } from '../../domain/operator/name.js';

export interface NamedOperator {
  readonly operatorId: string;
  readonly name: string;
  readonly isSuspended: boolean;
}

/** Every operator whose name the network knows. They are few. */
export async function namedOperators(pool: Pool): Promise<readonly NamedOperator[]> {
  const { rows } = await pool.query<NamedOperator>(
    `SELECT operator_id AS "operatorId", name, suspended AS "isSuspended" FROM authority.operator
    WHERE name <> '' ORDER BY invited_at, operator_id`,
  );
  return rows;
}

/** Names of operators by id, for people. A name that several have had is followed by the id. */
export async function operatorNames(
  pool: Pool,
  ids: readonly (string | null)[],
): Promise<Readonly<Record<string, string>>> {
  const wanted = new Set(ids);
  if (ids.every((id) => id === null)) return {};
  const alike = Map.groupBy(await namedOperators(pool), ({ name }) => operatorNameKey(name));
  const named = [...alike.values()].flatMap((same) =>
    same.map(
      ({ operatorId, name }) => [operatorId, same.length === 1 ? name : `${name} (${operatorId})`] as const,
    ),
  );
  return Object.fromEntries(named.filter(([id]) => wanted.has(id)));
}
