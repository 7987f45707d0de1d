import type { SharedReadQuery } from '../../../../projections/runner/read-query.js';
import type { Clock } from '../../../base/support/clock.js';
import {
  admit,
  MAX_REVISION_WAIT_MS,
  isStoreUnavailable,
  presentRead,
  storeUnavailable,
} from './admit-read.js';
import type { Read } from './admit-read.js';
import type { Credential } from './credential.js';
import type { Positions } from './positions.js';
import type { PublishedStatements } from './published-statements.js';
import type { RestrictionProof } from './restriction-proof.js';
import { admittedSharedReadSql, sharedAdmissionParameters } from './shared-admission-sql.js';
import type { SharedAdmissionRow } from './shared-admission-sql.js';

export interface SharedRequest {
  readonly credential: Credential;
  readonly cursor: number;
}

export type SharedAnswer<Request, Result> = {
  readonly request: Request;
} & ({ readonly read: Read<Result> } | { readonly fault: unknown });

/**
 * `answers` are computed lazily, so that a consumer can let other requests run between them. `delayed`: answers of
 * callers whose required revision the read models do not show yet; resolves after the same wait as a single read.
 */
export interface SharedAnswers<Request, Result> {
  readonly answers: Iterable<SharedAnswer<Request, Result>>;
  readonly delayed: Promise<Iterable<SharedAnswer<Request, Result>>> | undefined;
}

/** The protected read of many callers in one statement. Each caller is admitted or refused separately. */
export class SharedReads {
  constructor(
    private readonly statements: PublishedStatements,
    private readonly positions: Positions,
    private readonly clock: Clock,
    private readonly proof: RestrictionProof,
  ) {}

  /**
   * Reads without counting against any limit. Never rejects: a failure of the statement becomes the answer of each
   * request.
   */
  async read<Request extends SharedRequest, Args, Result>(
    requests: readonly Request[],
    scope: string,
    query: SharedReadQuery<Args, Result>,
    args: Args,
  ): Promise<SharedAnswers<Request, Result>> {
    const answersOf = (rows: readonly RequestRow<Request>[]) => this.answers(rows, scope, query);
    const [answerable, stale] = this.splitByFreshness(await this.ask(requests, scope, query, args), scope);
    if (stale.length === 0) return { answers: answersOf(answerable), delayed: undefined };
    const late = async () => {
      const needed = stale.map(({ position }) => position);
      await this.positions.waitFor(
        needed.reduce((most, position) => (position > most ? position : most)),
        MAX_REVISION_WAIT_MS,
      );
      const staleRequests = stale.map(({ request }) => request);
      return answersOf(await this.ask(staleRequests, scope, query, args));
    };
    return { answers: answersOf(answerable), delayed: late() };
  }

  private splitByFreshness<Request extends SharedRequest>(
    rows: readonly RequestRow<Request>[],
    scope: string,
  ): [RequestRow<Request>[], { readonly request: Request; readonly position: bigint }[]] {
    const answerable: RequestRow<Request>[] = [];
    const stale: { readonly request: Request; readonly position: bigint }[] = [];
    for (const each of rows) {
      const { request, row } = each;
      if (!row || row.fresh || row.needed_position === null) {
        answerable.push(each);
        continue;
      }
      try {
        admit(row, request.credential, scope, this.proof);
        stale.push({ request, position: BigInt(row.needed_position) });
      } catch (fault) {
        answerable.push({ request, fault });
      }
    }
    return [answerable, stale];
  }

  private *answers<Request extends SharedRequest, Result>(
    rows: readonly RequestRow<Request>[],
    scope: string,
    query: SharedReadQuery<never, Result>,
  ): Generator<SharedAnswer<Request, Result>> {
    for (const { request, row, fault } of rows) {
      if (!row) {
        yield { request, fault };
        continue;
      }
      let answer: { readonly read: Read<Result> } | { readonly fault: unknown };
      try {
        answer = { read: presentRead(row, admit(row, request.credential, scope, this.proof), query) };
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
  ): Promise<readonly RequestRow<Request>[]> {
    try {
      const rows = await this.statements.run<SharedAdmissionRow>({
        name: query.name,
        text: (schemaName) => admittedSharedReadSql(schemaName, query),
        values: ({ incarnation }) => [
          ...sharedAdmissionParameters({
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
        if (!request)
          throw new Error(
            `the statement of a shared read returned row ${row.n} for ${requests.length} requests`,
          );
        return { request, row };
      });
    } catch (cause) {
      // One error object per kind, so that the consumer can report it once.
      const [anonymous, signedIn] = [
        undefined,
        requests.find(({ credential }) => credential)?.credential,
      ].map((credential) => (isStoreUnavailable(cause) ? storeUnavailable(credential, cause) : cause));
      return requests.map((request) => ({ request, fault: request.credential ? signedIn : anonymous }));
    }
  }
}

interface RequestRow<Request> {
  readonly request: Request;
  readonly row?: SharedAdmissionRow;
  readonly fault?: unknown;
}
