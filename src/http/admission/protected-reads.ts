import { DatabaseError } from 'pg';
import type { Pool } from 'pg';
import type { ReadQuery } from '../../../projections/runner/read-query.js';
import type { Clock } from '../../commands/ambient.js';
import { LimitsUnavailable } from '../../limits/shared-window.js';
import { isUnreachable } from '../../store/unreachable.js';
import { HttpRefusal, unauthenticated } from '../errors.js';
import type { AnonymousBudget, ApiLimits } from '../limits/api-limits.js';
import type { Meter } from '../limits/meter.js';
import type { CommonHeader } from '../openapi/headers.js';
import { admissionSql, valuesOf } from './admission-sql.js';
import type { AdmissionRow } from './admission-sql.js';
import { authorityOf } from './authority.js';
import type { Caller } from './authority.js';
import { closedBy } from './closed.js';
import type { Closed } from './closed.js';
import type { Credential } from './credential.js';
import type { Positions } from './positions.js';
import type { Publication, PublicationCache } from './publication.js';
import type { RestrictionProof } from './restriction-proof.js';
import { dropStaleStatements, statementName } from './stale-statements.js';

/**
 * Who may read. `scope`: what a token needs; undefined: none in particular. `budget`: of whom has none; undefined: the
 * general one.
 */
export interface ReadRule {
  readonly scope?: string;
  readonly anonymous: boolean;
  readonly budget?: AnonymousBudget;
}

export interface ReadRequest {
  readonly credential: Credential;
  readonly meter: Meter;
  /** Position that the answer must show at least (`x-network-min-revision`). */
  readonly minPosition?: bigint | undefined;
  /**
   * Puts the common response headers on the answer, whatever it is going to be, in place of those of an earlier statement;
   * undefined: nobody was admitted. Without it the answer is not a read's.
   */
  readonly describe?: (headers: CommonHeaders | undefined) => void;
}

/** Of one statement: who was admitted by it, and what it shows. */
export type CommonHeaders = Readonly<Partial<Record<CommonHeader, string>>>;

/** An answer. `caller`: undefined if anonymous. */
export interface Read<Result> {
  readonly result: Result;
  readonly caller: Caller | undefined;
  readonly incarnation: string;
  /** The position that it shows. */
  readonly revision: number;
}

/** How long a read waits for the read models to show what it must show. */
const WAIT_MS = 2_000;
const UNDEFINED_TABLE = '42P01';
const INVALID_SCHEMA = '3F000';
/** A statement that was dropped, see stale-statements.ts. */
const INVALID_STATEMENT = '26000';
const gone = new Set<string | undefined>([UNDEFINED_TABLE, INVALID_SCHEMA, INVALID_STATEMENT]);

export class ProtectedReads {
  private readonly statements = new WeakMap<Publication, Map<string, { name: string; text: string }>>();

  constructor(
    private readonly pool: Pool,
    private readonly publications: PublicationCache,
    private readonly positions: Positions,
    private readonly clock: Clock,
    private readonly limits: ApiLimits,
    private readonly proof: RestrictionProof,
  ) {
    dropStaleStatements(pool, () => publications.known?.incarnation);
  }

  /** One statement in the usual case; again after a wait for the caller's own write or after a publication. */
  async read<Args, Result>(
    request: ReadRequest,
    rule: ReadRule,
    query: ReadQuery<Args, Result>,
    args: Args,
  ): Promise<Read<Result>> {
    const { credential, meter, describe } = request;
    if (!credential && !rule.anonymous) throw unauthenticated();
    describe?.(undefined);
    try {
      if (!credential)
        await meter.count(() => this.limits.anonymousRead(rule.budget ?? 'reads', meter.nearest));
      let row = await this.ask(request, rule, query, args);
      const admitted = admit(row, request, rule, this.proof);
      // Not before, since only the row says whose token it is; and who is refused has used up nobody's budget.
      if (admitted) await meter.count(() => this.limits.read(admitted));
      let caller = admitted;
      if (!row.fresh && row.needed_position !== null) {
        await this.positions.waitFor(BigInt(row.needed_position), WAIT_MS);
        row = await this.ask(request, rule, query, args);
        caller = admit(row, request, rule, this.proof);
      }
      describe?.(commonHeadersOf(row, caller));
      return answer(row, caller, query);
    } catch (cause) {
      if (!isStoreAway(cause)) throw cause;
      const code = credential ? 'protected_read_storage_unavailable' : 'pilot_storage_unavailable';
      throw new HttpRefusal(code, 'The read store cannot be reached; retry later.', { cause });
    }
  }

  /** The row of a statement that was written for the publication it found. */
  private async ask<Args, Result>(
    { credential, minPosition }: ReadRequest,
    rule: ReadRule,
    query: ReadQuery<Args, Result>,
    args: Args,
  ): Promise<AdmissionRow> {
    let publication = await this.publications.current();
    for (const last of [false, true]) {
      if (!publication) throw new HttpRefusal('recovery_state_missing', whyClosed.recovery_state_missing);
      if (!this.publications.isReadable(publication))
        throw new HttpRefusal(
          'protected_read_unavailable',
          'The read models are of another version than this server; retry later.',
        );
      const values = valuesOf({
        tokenHash: credential?.tokenHash ?? null,
        now: this.clock.now(),
        incarnation: publication.incarnation,
        scope: rule.scope ?? null,
        minPosition: minPosition === undefined ? null : String(minPosition),
      });
      const row = await this.run(publication, query, [...values, ...query.values(args)]);
      if (row?.incarnation === publication.incarnation) return row;
      if (last) break;
      publication = await this.publications.refresh();
    }
    throw new HttpRefusal('recovery_publication_changed', 'The network was just republished; retry.');
  }

  /** Undefined: the schema is gone, another one is published by now. */
  private async run(
    publication: Publication,
    query: ReadQuery<never, unknown>,
    values: unknown[],
  ): Promise<AdmissionRow | undefined> {
    try {
      const { rows } = await this.pool.query<AdmissionRow>({ ...this.statement(publication, query), values });
      return rows[0];
    } catch (error) {
      if (error instanceof DatabaseError && gone.has(error.code)) return undefined;
      throw error;
    }
  }

  private statement(
    publication: Publication,
    query: ReadQuery<never, unknown>,
  ): { name: string; text: string } {
    const known = this.statements.get(publication) ?? new Map<string, { name: string; text: string }>();
    this.statements.set(publication, known);
    const found = known.get(query.name);
    if (found) return found;
    const text = admissionSql(publication.schemaName, query);
    const statement = { name: statementName(query.name, publication.incarnation), text };
    known.set(query.name, statement);
    return statement;
  }
}

/** Counting needs the same server: where it is away the read is impossible too, and that is what is said. */
const isStoreAway = (cause: unknown): boolean =>
  cause instanceof LimitsUnavailable ? !cause.isServerThere : isUnreachable(cause);

/** Who reads; undefined: anonymous. @throws {HttpRefusal} they may not, or nobody may now. */
function admit(
  row: AdmissionRow,
  { credential }: ReadRequest,
  rule: ReadRule,
  proof: RestrictionProof,
): Caller | undefined {
  // Before anybody is told what their token is worth: that may have been lost as well.
  const closed = closedBy(row, proof);
  if (closed) throw new HttpRefusal(closed, whyClosed[closed]);
  return credential && authorityOf(row, rule.scope);
}

const whyClosed: Readonly<Record<Closed, string>> = {
  recovery_quarantined: 'The network is in recovery; reads are refused until it is done.',
  recovery_state_missing: 'The network is being set up; retry later.',
  restriction_witness_unavailable_or_incomplete:
    'It is not proven yet that nothing is shown that was taken away; retry later.',
};

function answer<Result>(
  row: AdmissionRow,
  caller: Caller | undefined,
  query: ReadQuery<never, Result>,
): Read<Result> {
  if (!row.fresh || row.incarnation === null)
    throw new HttpRefusal(
      'protected_read_unavailable',
      'The answer would not show all that it has to yet; retry.',
    );
  return {
    result: query.present(row.data),
    caller,
    incarnation: row.incarnation,
    revision: Number(row.applied_position ?? 0),
  };
}

const commonHeadersOf = (row: AdmissionRow, caller: Caller | undefined): CommonHeaders => ({
  'x-network-revision': row.applied_position ?? '0',
  ...(row.incarnation !== null && { 'x-network-incarnation': row.incarnation }),
  'x-network-witness-epoch': row.witness_epoch ?? '0',
  ...(caller && {
    'x-network-actor-id': caller.actorId,
    'x-network-app-id': caller.appId,
    'x-network-grant-id': caller.grantId,
    'x-network-scopes': caller.scopes.join(' '),
  }),
});
