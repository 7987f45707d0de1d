import type { Config } from '../../config/config.js';
import { originIn } from '../../commands/operator/origin.js';
import type { Clock } from '../../commands/support/clock.js';
import type { FourEyesEvent } from '../../domain/four-eyes/events.js';
import { evolveFourEyes, noFourEyes } from '../../domain/four-eyes/four-eyes.js';
import type { FourEyes as FourEyesState } from '../../domain/four-eyes/four-eyes.js';
import { mayManage } from '../../domain/four-eyes/handling.js';
import { establishedFrom, lacksConfirmation } from '../../domain/four-eyes/standing.js';
import type { Origin } from '../../domain/four-eyes/standing.js';
import type { Role } from '../../domain/operator/roles.js';
import { HttpRefusal } from '../../http/server/errors.js';
import type { EventLog } from '../../log/event-log.js';
import { streams } from '../../log/streams.js';
import type { AuthorityStore } from '../../store/authority/authority-store.js';
import type { Witness } from '../../witness/witness.js';
import { durationOf } from '../../support/duration.js';
import type { ListedOperator } from '../acts/operators.js';
import { isProven } from '../identity/proven.js';
import type { ProofSources } from '../identity/proven.js';
import { requireUnended, witnessedFourEyes } from '../identity/unended.js';

interface FourEyesSources extends ProofSources {
  readonly store: AuthorityStore;
  readonly log: EventLog;
  readonly witness: Witness;
  readonly clock: Clock;
  readonly config: Pick<Config, 'fourEyesMinAge'>;
}

/** Of those who are active and count as persons of their own. */
export interface EstablishedOperators {
  readonly administrators: number;
  readonly moderators: number;
}

/** `establishedFrom`: as of the function of that name. `isActive`: with a valid credential. */
export interface Standing {
  readonly operatorId: string;
  readonly name: string;
  readonly roles: readonly Role[];
  readonly isActive: boolean;
  readonly establishedFrom: number | undefined;
  readonly lacksConfirmation: boolean;
}

interface Row {
  readonly operator_id: string;
  readonly name: string;
  readonly roles: readonly Role[];
  readonly is_active: boolean;
}

/** $1: now, Unix milliseconds. Operators without a valid credential are not active: nobody can wait for them. */
const unsuspendedOperators = {
  name: 'four-eyes.operators',
  text: `SELECT operator_id, name, roles, enrolled_at IS NOT NULL AND (
      EXISTS (SELECT FROM authority.operator_token token WHERE token.operator_id = operator.operator_id
        AND token_hash IS NOT NULL AND revoked_at IS NULL AND expires_at > $1)
      OR EXISTS (SELECT FROM authority.operator_passkey passkey WHERE passkey.operator_id = operator.operator_id
        AND registered_at IS NOT NULL AND removed_at IS NULL)) AS is_active
    FROM authority.operator WHERE invited_at IS NOT NULL AND NOT suspended ORDER BY invited_at, operator_id`,
};

/** $1: operator id. */
const rolesOfActive = {
  name: 'four-eyes.roles',
  text: `SELECT roles FROM authority.operator WHERE operator_id = $1 AND enrolled_at IS NOT NULL AND NOT suspended`,
};

export class FourEyes {
  constructor(private readonly sources: FourEyesSources) {}

  /**
   * Restrictions that one operator may make in 24 hours without an approval; undefined: four-eyes is off. Between a
   * restore and its check it is on if the restored log or the ledger of the witness says so: no older backup turns it off.
   * @throws errors of the stores.
   */
  async batchItems(): Promise<number | undefined> {
    return (await this.known()).batchItems;
  }

  private async known(): Promise<FourEyesState> {
    const { store, witness } = this.sources;
    const [row] = await store.rows<{ batch_items: number | null }>(
      { name: 'four-eyes', text: 'SELECT batch_items FROM authority.four_eyes' },
      [],
    );
    const stored = row?.batch_items ?? Infinity;
    const witnessed = (await isProven(this.sources)) ? undefined : await witnessedFourEyes(witness);
    const batchItems = Math.min(stored, witnessed?.batchItems ?? Infinity);
    return batchItems === Infinity ? noFourEyes : { batchItems, since: witnessed?.since ?? Infinity };
  }

  /** As of {@link FourEyesState}. If it is on, and nothing tells since when, then since ever. */
  async since(): Promise<number> {
    const { batchItems, since } = await this.known();
    if (batchItems === undefined) return Infinity;
    const recorded = await this.sources.log.read(streams.fourEyes());
    const logged = recorded.reduce(
      (older, { event }) => evolveFourEyes(older, event as FourEyesEvent),
      noFourEyes,
    );
    const earliest = Math.min(logged.since, since);
    return earliest === Infinity ? 0 : earliest;
  }

  /** @throws errors of log and stores. */
  async established(): Promise<EstablishedOperators> {
    return establishedAmong(await this.standings(), this.sources.clock.now());
  }

  /** Of all operators who are not suspended. @throws errors of log and stores. */
  async standings(): Promise<readonly Standing[]> {
    const { store, clock } = this.sources;
    const [rows, since] = await Promise.all([
      store.rows<Row>(unsuspendedOperators, [clock.now()]),
      this.since(),
    ]);
    return Promise.all(
      rows.map(async ({ operator_id: operatorId, name, roles, is_active: isActive }) => {
        const origin = await this.originOf(operatorId);
        const standing = {
          establishedFrom: this.from(origin, since),
          lacksConfirmation: lacksConfirmation(origin, since, origin.confirmedAt === undefined),
        };
        return { operatorId, name, roles, isActive, ...standing };
      }),
    );
  }

  /**
   * Returns the list with what four-eyes says about each operator who is not suspended.
   * @throws errors of log and stores.
   */
  async marked<Listed extends ListedOperator>(listed: readonly Listed[]): Promise<readonly Listed[]> {
    if ((await this.batchItems()) === undefined) return listed;
    const standings = new Map((await this.standings()).map((each) => [each.operatorId, each]));
    return listed.map((each) => {
      const standing = standings.get(each.operatorId);
      return standing ? { ...each, needsConfirmation: standing.lacksConfirmation } : each;
    });
  }

  /**
   * Time from which the operator counts as a person of their own, who requests, approves and restricts; undefined: not before
   * another operator confirms them.
   * @throws errors of log and stores.
   */
  async establishedFrom(operatorId: string): Promise<number | undefined> {
    const [origin, since] = await Promise.all([this.originOf(operatorId), this.since()]);
    return this.from(origin, since);
  }

  async isEstablished(operatorId: string): Promise<boolean> {
    return ((await this.establishedFrom(operatorId)) ?? Infinity) <= this.sources.clock.now();
  }

  /** @throws {HttpRefusal} `not_owner`: four-eyes is on, and this operator may not end others yet; errors of log and stores. */
  async requireManager(operatorId: string): Promise<void> {
    if ((await this.batchItems()) === undefined) return;
    const isEstablished = await this.isEstablished(operatorId);
    if (mayManage({ isEstablished }, (await this.established()).administrators)) return;
    throw new HttpRefusal('not_owner', 'Another administrator must confirm you first.');
  }

  /** True: a confirmation would change something, if one person confirms, and if two do. */
  async lacksConfirmation(operatorId: string): Promise<{ readonly byOne: boolean; readonly byTwo: boolean }> {
    const [origin, since] = await Promise.all([this.originOf(operatorId), this.since()]);
    return { byOne: lacksConfirmation(origin, since, false), byTwo: lacksConfirmation(origin, since, true) };
  }

  /**
   * Roles of an operator who is enrolled and not suspended; none: there is no such operator.
   * @throws {HttpRefusal} a restored network is being checked, and may lack the end of this operator; errors of the
   * stores.
   */
  async rolesOf(operatorId: string): Promise<readonly Role[]> {
    const [row] = await this.sources.store.rows<{ roles: readonly Role[] }>(rolesOfActive, [operatorId]);
    if (!row) return [];
    if (!(await isProven(this.sources))) await requireUnended(this.sources, { operatorId });
    return row.roles;
  }

  private from(origin: Origin, since: number): number | undefined {
    return establishedFrom(origin, since, durationOf(this.sources.config.fourEyesMinAge) ?? Infinity);
  }

  private async originOf(operatorId: string): Promise<Origin> {
    return originIn(await this.sources.log.read(streams.operator(operatorId)));
  }
}

export function establishedAmong(standings: readonly Standing[], now: number): EstablishedOperators {
  const able = standings.filter(({ isActive, establishedFrom: from = Infinity }) => isActive && from <= now);
  const withRole = (role: Role) => able.filter(({ roles }) => roles.includes(role)).length;
  return { administrators: withRole('administrator'), moderators: withRole('moderator') };
}
