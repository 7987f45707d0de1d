import type { SharedReadQuery } from '../../../projections/runner/read-query.js';
import type { Clock } from '../../commands/support/ambient.js';
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

/**
 * `answers`: each is worked out when it is come to, so that whoever goes through many can let others have their turn.
 * `late`: of those for whom the read models are waited for, as a single read does; all have an answer by then.
 */
export interface SharedAnswers<Request, Result> {
  readonly answers: Iterable<SharedAnswer<Request, Result>>;
  readonly late: Promise<Iterable<SharedAnswer<Request, Result>>> | undefined;
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
    const answersOf = (asked: readonly Asked<Request>[]) => this.answers(asked, scope, query);
    const [known, stale] = this.divide(await this.ask(requests, scope, query, args), scope);
    if (stale.length === 0) return { answers: answersOf(known), late: undefined };
    const late = async () => {
      const needed = stale.map(({ position }) => position);
      await this.positions.waitFor(
        needed.reduce((most, position) => (position > most ? position : most)),
        FRESHNESS_MS,
      );
      const latecomers = stale.map(({ request }) => request);
      return answersOf(await this.ask(latecomers, scope, query, args));
    };
    return { answers: answersOf(known), late: late() };
  }

  /** Those that can be answered, and those who are admitted and have to be shown more than the read models do yet. */
  private divide<Request extends SharedRequest>(
    asked: readonly Asked<Request>[],
    scope: string,
  ): [Asked<Request>[], { readonly request: Request; readonly position: bigint }[]] {
    const known: Asked<Request>[] = [];
    const stale: { readonly request: Request; readonly position: bigint }[] = [];
    for (const each of asked) {
      const { request, row } = each;
      if (!row || row.fresh || row.needed_position === null) {
        known.push(each);
        continue;
      }
      try {
        admit(row, request.credential, scope, this.proof);
        stale.push({ request, position: BigInt(row.needed_position) });
      } catch (fault) {
        known.push({ request, fault });
      }
    }
    return [known, stale];
  }

  private *answers<Request extends SharedRequest, Result>(
    asked: readonly Asked<Request>[],
    scope: string,
    query: SharedReadQuery<never, Result>,
  ): Generator<SharedAnswer<Request, Result>> {
    for (const { request, row, fault } of asked) {
      if (!row) {
        yield { request, fault };
        continue;
      }
      let answer: { readonly read: Read<Result> } | { readonly fault: unknown };
      try {
        answer = { read: readOf(row, admit(row, request.credential, scope, this.proof), query) };
      } catch (refusal) {
        answer = { fault: refusal };
      }
      yield { request, ...answer };
    }
  }

  private async ask<Request extends SharedRequest, Args, Result>(
    requests: readonly Request[],
    scope: string,
    query: SharedReadQuery<Args, Result>,
    args: Args,
  ): Promise<readonly Asked<Request>[]> {
    try {
      const rows = await this.statements.run<SharedAdmissionRow>({
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
      return rows.map((row) => {
        const request = requests[Number(row.n) - 1];
        if (!request) throw new Error('an answer that nobody asked for');
        return { request, row };
      });
    } catch (cause) {
      // One for all of a kind, so that whoever tells of it can tell it once.
      const [anonymous, signedIn] = [
        undefined,
        requests.find(({ credential }) => credential)?.credential,
      ].map((credential) => (isStoreAway(cause) ? unreachableTo(credential, cause) : cause));
      return requests.map((request) => ({ request, fault: request.credential ? signedIn : anonymous }));
    }
  }
}

/** `fault`: why there is no row. */
interface Asked<Request> {
  readonly request: Request;
  readonly row?: SharedAdmissionRow;
  readonly fault?: unknown;
}
