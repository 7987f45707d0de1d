import { permissionsOf, roles } from '../../domain/operator/roles.js';
import type { AuthorityStore } from '../../base/store/authority/authority-store.js';

const deciding = roles.filter((role) => permissionsOf[role].includes('cases.decide'));

const activeDeciders = {
  name: 'case.deciders',
  text: `SELECT operator_id FROM authority.operator
    WHERE enrolled_at IS NOT NULL AND NOT suspended AND roles && $1::text[] LIMIT 100`,
};

/** Tells whether an active operator other than these may decide cases. */
export async function otherDeciders(
  store: AuthorityStore,
): Promise<(operatorIds: readonly string[]) => boolean> {
  const rows = await store.rows<{ operator_id: string }>(activeDeciders, [deciding]);
  return (operatorIds) => rows.some(({ operator_id: id }) => !operatorIds.includes(id));
}
