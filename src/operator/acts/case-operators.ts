import { permissionsOf, roles } from '../../domain/operator/roles.js';
import type { AuthorityStore } from '../../store/authority/authority-store.js';

const deciding = roles.filter((role) => permissionsOf[role].includes('cases.decide'));

const activeDeciders = {
  name: 'case.deciders',
  text: `SELECT operator_id FROM authority.operator
    WHERE enrolled_at IS NOT NULL AND NOT suspended AND roles && $1::text[] LIMIT 2`,
};

/** Tells whether an active operator other than this one may rule on an appeal. */
export async function otherDeciders(store: AuthorityStore): Promise<(operatorId: string | null) => boolean> {
  const rows = await store.rows<{ operator_id: string }>(activeDeciders, [deciding]);
  return (operatorId) => rows.some(({ operator_id: id }) => id !== operatorId);
}
