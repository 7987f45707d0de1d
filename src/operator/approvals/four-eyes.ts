import type { Clock } from '../../commands/support/clock.js';
import type { Role } from '../../domain/operator/roles.js';
import type { EventLog } from '../../log/event-log.js';
import type { AuthorityStore } from '../../store/authority/authority-store.js';
import type { Witness } from '../../witness/witness.js';
import { isProven } from '../identity/proven.js';
import type { ProofSources } from '../identity/proven.js';
import { requireUnended, witnessedFourEyes } from '../identity/unended.js';

interface FourEyesSources extends ProofSources {
  readonly store: AuthorityStore;
  readonly log: EventLog;
  readonly witness: Witness;
  readonly clock: Clock;
}

export interface ActiveOperators {
  readonly administrators: number;
  readonly moderators: number;
}

/** $1: now, Unix milliseconds. Operators without a valid credential are not active: nobody can wait for them. */
const activeOperators = {
  name: 'four-eyes.active-operators',
  text: `SELECT count(*) FILTER (WHERE 'administrator' = ANY (roles))::int AS administrators,
      count(*) FILTER (WHERE 'moderator' = ANY (roles))::int AS moderators
    FROM authority.operator
    WHERE enrolled_at IS NOT NULL AND NOT suspended AND (
      EXISTS (SELECT FROM authority.operator_token token WHERE token.operator_id = operator.operator_id
        AND token_hash IS NOT NULL AND revoked_at IS NULL AND expires_at > $1)
      OR EXISTS (SELECT FROM authority.operator_passkey passkey WHERE passkey.operator_id = operator.operator_id
        AND registered_at IS NOT NULL AND removed_at IS NULL))`,
};

/** $1: operator id. */
const rolesOfConfirmed = {
  name: 'four-eyes.roles',
  text: `SELECT roles FROM authority.operator
    WHERE operator_id = $1 AND enrolled_at IS NOT NULL AND NOT suspended AND NOT needs_confirmation`,
};

export class FourEyes {
  constructor(private readonly sources: FourEyesSources) {}

  /**
   * The largest batch without an approval; undefined: four-eyes is off. Between a restore and its check it is on if the
   * restored log or the ledger of the witness says so: no older backup turns it off.
   * @throws errors of the stores.
   */
  async batchItems(): Promise<number | undefined> {
    const { store, witness } = this.sources;
    const [row] = await store.rows<{ batch_items: number | null }>(
      { name: 'four-eyes', text: 'SELECT batch_items FROM authority.four_eyes' },
      [],
    );
    const known = row?.batch_items ?? undefined;
    if (await isProven(this.sources)) return known;
    const witnessed = await witnessedFourEyes(witness);
    return known === undefined || witnessed === undefined ? (known ?? witnessed) : Math.min(known, witnessed);
  }

  /** @throws errors of the store. */
  async activeOperators(): Promise<ActiveOperators> {
    const { store, clock } = this.sources;
    const [row] = await store.rows<ActiveOperators>(activeOperators, [clock.now()]);
    return row ?? { administrators: 0, moderators: 0 };
  }

  /**
   * Roles of an operator who is not suspended, and whom an administrator has confirmed if the limited shared token
   * invited; none: there is no such operator.
   * @throws {HttpRefusal} a restored network is being checked, and may lack the end of this operator; errors of the
   * stores.
   */
  async rolesOf(operatorId: string): Promise<readonly Role[]> {
    const [row] = await this.sources.store.rows<{ roles: readonly Role[] }>(rolesOfConfirmed, [operatorId]);
    if (!row) return [];
    if (!(await isProven(this.sources))) await requireUnended(this.sources, { operatorId });
    return row.roles;
  }
}
