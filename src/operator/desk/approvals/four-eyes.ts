import type { Config } from '../../../base/config/config.js';
import { originIn } from '../../../commands/operator/origin.js';
import type { Clock } from '../../../base/support/clock.js';
import type { FourEyesEvent } from '../../../domain/four-eyes/events.js';
import { evolveFourEyes, noFourEyes } from '../../../domain/four-eyes/four-eyes.js';
import type { FourEyes as FourEyesState } from '../../../domain/four-eyes/four-eyes.js';
import { ENOUGH, mayManage } from '../../../domain/four-eyes/handling.js';
import { establishedFrom, isSettled, lacksConfirmation } from '../../../domain/four-eyes/standing.js';
import type { Origin } from '../../../domain/four-eyes/standing.js';
import type { Role } from '../../../domain/operator/roles.js';
import { HttpRefusal } from '../../../server/errors.js';
import type { EventLog } from '../../../log/event-log.js';
import { readNewest } from '../../../log/read-newest.js';
import { streams } from '../../../log/streams.js';
import type { AuthorityStore } from '../../../base/store/authority/authority-store.js';
import type { Witness } from '../../../log/witness/witness.js';
import { durationOf } from '../../../base/support/duration.js';
import type { ListedOperator } from '../operators.js';
import { isProven } from '../identity/proven.js';
import type { ProofSources } from '../identity/proven.js';
import { requireNotEnded, witnessedFourEyes } from '../identity/ended-operators.js';

interface FourEyesSources extends ProofSources {
  readonly store: AuthorityStore;
  readonly log: EventLog;
  readonly witness: Witness;
  readonly clock: Clock;
  readonly config: Pick<Config, 'fourEyesMinAge'>;
}

/** Numbers of those who are active and count as persons of their own. */
export interface EstablishedOperators {
  readonly administrators: number;
  readonly moderators: number;
}

export interface Standing {
  readonly name: string;
  readonly roles: readonly Role[];
  readonly establishedFrom: number | undefined;
  readonly isUnconfirmed: boolean;
}

interface Row {
  readonly operator_id: string;
  readonly name: string;
  readonly roles: readonly Role[];
}

/** $1: now, Unix milliseconds. Operators without a valid credential are not active: nobody can wait for them. */
const activeOperators = {
  name: 'four-eyes.operators',
  text: `SELECT operator_id, name, roles FROM authority.operator
    WHERE enrolled_at IS NOT NULL AND NOT suspended AND (
      EXISTS (SELECT FROM authority.operator_token token WHERE token.operator_id = operator.operator_id
        AND token_hash IS NOT NULL AND revoked_at IS NULL AND expires_at > $1)
      OR EXISTS (SELECT FROM authority.operator_passkey passkey WHERE passkey.operator_id = operator.operator_id
        AND registered_at IS NOT NULL AND removed_at IS NULL))
    ORDER BY invited_at, operator_id`,
};

/** $1: operator id. */
const rolesOfActive = {
  name: 'four-eyes.roles',
  text: `SELECT roles FROM authority.operator WHERE operator_id = $1 AND enrolled_at IS NOT NULL AND NOT suspended`,
};

/** Keeps what no later event changes: pages and acts read the streams of those operators alone who do not count yet. */
export class FourEyes {
  private readonly settled = new Map<string, Origin>();
  private turnedOn: { readonly revision: bigint; readonly since: number } | undefined;

  constructor(private readonly sources: FourEyesSources) {}

  /**
   * Restrictions that one operator may make in 24 hours without an approval; undefined: four-eyes is off. Between a
   * restore and its check it is on if the restored log or the ledger of the witness says so: no older backup turns it off.
   * @throws errors of the stores.
   */
  async batchItems(): Promise<number | undefined> {
    return (await this.known()).batchItems;
  }

  private async known(): Promise<FourEyesState & { readonly revision: bigint }> {
    const { store, witness } = this.sources;
    const [row] = await store.rows<{ batch_items: number | null; revision: string }>(
      { name: 'four-eyes', text: 'SELECT batch_items, revision FROM authority.four_eyes' },
      [],
    );
    const witnessed = (await isProven(this.sources)) ? undefined : await witnessedFourEyes(witness);
    const batchItems = Math.min(row?.batch_items ?? Infinity, witnessed?.batchItems ?? Infinity);
    const since = witnessed?.since ?? Infinity;
    const revision = BigInt(row?.revision ?? -1);
    return { batchItems: batchItems === Infinity ? undefined : batchItems, since, revision };
  }

  /** As of {@link FourEyesState}. If it is on, and nothing tells since when, then since ever. */
  async since(): Promise<number> {
    const { batchItems, since, revision } = await this.known();
    if (batchItems === undefined) return Infinity;
    const earliest = Math.min(await this.loggedSince(revision), since);
    return earliest === Infinity ? 0 : earliest;
  }

  private async loggedSince(revision: bigint): Promise<number> {
    if (this.turnedOn?.revision === revision) return this.turnedOn.since;
    const recorded = await this.sources.log.read(streams.fourEyes());
    const { since } = recorded.reduce(
      (older, { event }) => evolveFourEyes(older, event as FourEyesEvent),
      noFourEyes,
    );
    if (recorded.at(-1)?.revision === revision) this.turnedOn = { revision, since };
    return since;
  }

  /** Proven if they are too few to approve anything. @throws errors of log and stores. */
  async established(): Promise<EstablishedOperators> {
    const { log, clock } = this.sources;
    return readNewest(
      log,
      async () => establishedAmong(await this.standings(), clock.now()),
      ({ administrators }) => administrators >= ENOUGH,
    );
  }

  async standings(): Promise<readonly Standing[]> {
    return this.standingsSince(await this.since());
  }

  async standingsIfOn(): Promise<readonly Standing[] | undefined> {
    const since = await this.since();
    return since === Infinity ? undefined : this.standingsSince(since);
  }

  private async standingsSince(since: number): Promise<readonly Standing[]> {
    const { store, clock } = this.sources;
    const rows = await store.rows<Row>(activeOperators, [clock.now()]);
    return Promise.all(
      rows.map(async ({ operator_id: operatorId, name, roles }) => {
        const origin = await this.originOf(operatorId, since);
        return {
          name,
          roles,
          establishedFrom: this.from(origin, since),
          isUnconfirmed: isUnconfirmed(origin, since),
        };
      }),
    );
  }

  /**
   * Returns the list with what four-eyes says about each operator who is not suspended.
   * @throws errors of log and stores.
   */
  async marked<Listed extends ListedOperator>(listed: readonly Listed[]): Promise<readonly Listed[]> {
    const since = await this.since();
    if (since === Infinity) return listed;
    return Promise.all(
      listed.map(async (each) =>
        each.state === 'suspended'
          ? each
          : { ...each, needsConfirmation: isUnconfirmed(await this.originOf(each.operatorId, since), since) },
      ),
    );
  }

  /**
   * Time from which the operator counts as a person of their own, who requests, approves and restricts; undefined: not before
   * another operator confirms them. Proven unless they count now.
   * @throws errors of log and stores.
   */
  async establishedFrom(operatorId: string): Promise<number | undefined> {
    const { log, clock } = this.sources;
    const read = async () => {
      const since = await this.since();
      return this.from(await this.originOf(operatorId, since), since);
    };
    return readNewest(log, read, (from = Infinity) => from <= clock.now());
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

  /** True: a confirmation would change something, if one person confirms, and if two do. The command decides anew. */
  async lacksConfirmation(operatorId: string): Promise<{ readonly byOne: boolean; readonly byTwo: boolean }> {
    const since = await this.since();
    const origin = await this.originOf(operatorId, since);
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
    if (!(await isProven(this.sources))) await requireNotEnded(this.sources, { operatorId });
    return row.roles;
  }

  private from(origin: Origin, since: number): number | undefined {
    return establishedFrom(origin, since, durationOf(this.sources.config.fourEyesMinAge) ?? Infinity);
  }

  private async originOf(operatorId: string, since: number): Promise<Origin> {
    const kept = this.settled.get(operatorId);
    if (kept && isSettled(kept, since)) return kept;
    const origin = originIn(await this.sources.log.read(streams.operator(operatorId)));
    if (isSettled(origin, since)) this.settled.set(operatorId, origin);
    return origin;
  }
}

const isUnconfirmed = (origin: Origin, since: number): boolean =>
  lacksConfirmation(origin, since, origin.confirmedAt === undefined);

export function establishedAmong(standings: readonly Standing[], now: number): EstablishedOperators {
  const able = standings.filter(({ establishedFrom: from = Infinity }) => from <= now);
  const withRole = (role: Role) => able.filter(({ roles }) => roles.includes(role)).length;
  return { administrators: withRole('administrator'), moderators: withRole('moderator') };
}
