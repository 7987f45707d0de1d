import { operatorNameKey } from '../../../domain/operator/name.js';
import type { AuthorityStore } from '../../../base/store/authority/authority-store.js';
import { namedOperators } from '../../../base/store/authority/named-operators.js';

/** Names of operators by id, for people. A name that several have had is followed by the id. */
export async function operatorNames(
  store: AuthorityStore,
  ids: readonly (string | null)[],
): Promise<Readonly<Record<string, string>>> {
  const wanted = new Set(ids);
  if (ids.every((id) => id === null)) return {};
  const alike = Map.groupBy(await namedOperators(store), ({ name }) => operatorNameKey(name));
  const named = [...alike.values()].flatMap((same) =>
    same.map(
      ({ operatorId, name }) => [operatorId, same.length === 1 ? name : `${name} (${operatorId})`] as const,
    ),
  );
  return Object.fromEntries(named.filter(([id]) => wanted.has(id)));
}
