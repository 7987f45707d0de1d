import type { SharedReadQuery } from '../../../projections/runner/read-query.js';
import type { Clock } from '../../commands/ambient.js';
import { admit, FRESHNESS_MS, isStoreAway, readOf, unreachableTo } from './admitted.js';
import type { Read } from './admitted.js';
import type { Credential } from './credential.js';
import type { Positions } from './positions.js';
import type { PublishedStatements } from './published-statements.js';
import type { RestrictionProof } from './restriction-proof.js';
import { sharedAdmissionSql, sharedValuesOf } from './shared-admission-sql.js';
import type { SharedAdmissionRow } from './shared-admission-sql.js';

/** One of many who ask the same, each behind a cursor. */
export interface SharedRequest {
  readonly credential: Credential;
  readonly cursor: number;
}

/** A read, or why the one who asked may not have it. */
export type SharedAnswer<Request, Result> = {
  readonly request: Request;
} & ({ readonly read: Read<Result> } | { readonly fault: unknown });

/** `late`: of those for whom the read models are waited for, as a single read does; all have an answer by then. */
export interface SharedAnswers<Request, Result> {
  readonly answers: readonly SharedAnswer<Request, Result>[];
  readonly late: Promise<readonly SharedAnswer<Request, Result>[]> | undefined;
}

/** The protected read of many callers at once: a single statement, in which each is admitted or refused for itself. */
export class SharedReads {
  constructor(
    private readonly statements: PublishedStatements,
    private readonly positions: Positions,
    private readonly clock: Clock,
    private readonly proof: RestrictionProof,
  ) {}

  /** Nobody's limits are counted here. Never rejects: what fails for all is the answer to each. */
  async read<Request extends SharedRequest, Args, Result>(
    requests: readonly Request[],
    scope: string,
    query: SharedReadQuery<Args, Result>,
    args: Args,
  ): Promise<SharedAnswers<Request, Result>> {
    const { answers, stale } = await this.ask(requests, scope, query, args);
    if (stale.length === 0) return { answers, late: undefined };
    const needed = stale.reduce((most, { position }) => (position > most ? position : most), 0n);
    const late = async () => {
      await this.positions.waitFor(needed, FRESHNESS_MS);
      const again = await this.ask(
        stale.map(({ request }) => request),
        scope,
        query,
        args,
        true,
      );
      return again.answers;
    };
    return { answers, late: late() };
  }

  private async ask<Request extends SharedRequest, Args, Result>(
    requests: readonly Request[],
    scope: string,
    query: SharedReadQuery<Args, Result>,
    args: Args,
    isLast = false,
  ) {
    const answers: SharedAnswer<Request, Result>[] = [];
    const stale: { readonly request: Request; readonly position: bigint }[] = [];
    try {
      for (const row of await this.rowsOf(requests, scope, query, args)) {
        const request = requests[Number(row.n) - 1];
        if (!request) throw new Error('an answer that nobody asked for');
        try {
          const caller = admit(row, request.credential, scope, this.proof);
          if (row.fresh || row.needed_position === null || isLast)
            answers.push({ request, read: readOf(row, caller, query) });
          else stale.push({ request, position: BigInt(row.needed_position) });
        } catch (fault) {
          answers.push({ request, fault });
        }
      }
      return { answers, stale };
    } catch (cause) {
      const faultOf = ({ credential }: Request) =>
        isStoreAway(cause) ? unreachableTo(credential, cause) : cause;
      return { answers: requests.map((request) => ({ request, fault: faultOf(request) })), stale: [] };
    }
  }

  private rowsOf<Args, Result>(
    requests: readonly SharedRequest[],
    scope: string,
    query: SharedReadQuery<Args, Result>,
    args: Args,
  ): Promise<readonly SharedAdmissionRow[]> {
    return this.statements.run<SharedAdmissionRow>({
      name: query.name,
      text: (schemaName) => sharedAdmissionSql(schemaName, query),
      values: ({ incarnation }) => [
        ...sharedValuesOf({
          tokenHashes: requests.map(({ credential }) => credential?.tokenHash ?? null),
          now: this.clock.now(),
          incarnation,
          scope,
          cursors: requests.map(({ cursor }) => String(cursor)),
        }),
        ...query.values(args),
      ],
    });
  }
}
