import type { AuthorityStore } from './authority-store.js';

export interface NamedOperator {
  readonly operatorId: string;
  readonly name: string;
  readonly isSuspended: boolean;
}

const statement = {
  name: 'operators.named',
  text: `SELECT operator_id AS "operatorId", name, suspended AS "isSuspended" FROM authority.operator
    WHERE name <> '' ORDER BY invited_at, operator_id`,
};

/** Every operator whose name the network knows. They are few. */
export const namedOperators = (store: AuthorityStore): Promise<readonly NamedOperator[]> =>
  store.rows<NamedOperator>(statement, []);
