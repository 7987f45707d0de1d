import type { ReadQuery } from '../../../../projections/runner/read-query.js';
import type { Clock } from '../../../base/support/clock.js';
import { unauthenticated } from '../../../server/errors.js';
import type { AnonymousBudget, RequestLimits } from '../limits/request-limits.js';
import { limitRefusedTokens } from '../limits/refused-token-limit.js';
import type { RequestMeter } from '../limits/request-meter.js';
import type { CommonHeader } from '../../../server/headers.js';
import { admittedReadSql, admissionParameters } from './admission-sql.js';
import type { AdmissionRow } from './admission-sql.js';
import {
  admit,
  MAX_REVISION_WAIT_MS,
  isStoreUnavailable,
  presentRead,
  storeUnavailable,
} from './admit-read.js';
import type { Read } from './admit-read.js';
import type { Caller } from '../limits/caller.js';
import type { Credential } from './credential.js';
import type { Positions } from './positions.js';
import type { PublishedStatements } from './published-statements.js';
import type { RestrictionProof } from './restriction-proof.js';

export type { Read };

/**
 * The callers that a read admits. `scope`: the token must have it; undefined: any token is enough. `anonymous`: a token
 * is optional. `budget`: the limit that counts anonymous callers; undefined: `reads`. `points` of that limit, or of the
 * caller's own, are the price of the read; undefined: one.
 */
export interface ReadRule {
  readonly scope?: string;
  readonly anonymous: boolean;
  readonly budget?: AnonymousBudget;
  readonly points?: number;
}

export interface ReadRequest {
  readonly credential: Credential;
  readonly meter: RequestMeter;
  readonly minPosition?: bigint | undefined;
  /**
   * Sets the common response headers in place of earlier ones; an error answer keeps them. Undefined removes them,
   * since the newest statement has admitted nobody yet. A mutation passes no callback: its answer has no read headers.
   */
  readonly describe?: (headers: CommonHeaders | undefined) => void;
}

export type CommonHeaders = Readonly<Partial<Record<CommonHeader, string>>>;

export class ProtectedReads {
  constructor(
    private readonly statements: PublishedStatements,
    private readonly positions: Positions,
    private readonly clock: Clock,
    private readonly limits: RequestLimits,
    private readonly proof: RestrictionProof,
  ) {}

  /**
   * Admits and answers a read, by one statement in the usual case. The statement runs again after a wait for the
   * required revision, or if another incarnation was published meanwhile.
   * @throws {HttpRefusal}
   */
  async read<Args, Result>(
    request: ReadRequest,
    rule: ReadRule,
    query: ReadQuery<Args, Result>,
    args: Args,
  ): Promise<Read<Result>> {
    const { credential, meter, describe } = request;
    if (!credential && !rule.anonymous) throw unauthenticated();
    const judge = (row: AdmissionRow): Caller | undefined => {
      describe?.(undefined);
      return admit(row, credential, rule.scope, this.proof);
    };
    try {
      if (!credential)
        await meter.count(() =>
          this.limits.anonymousRead(rule.budget ?? 'reads', meter.peerAddress, rule.points),
        );
      const find = async () => {
        const firstRow = await this.ask(request, rule, query, args);
        return [firstRow, judge(firstRow)] as const;
      };
      const take = (caller: Caller) => this.limits.read(caller, rule.points);
      const admission = await (credential
        ? limitRefusedTokens(this.limits, meter, credential.tokenHash, find, take)
        : find());
      const [, admitted] = admission;
      let [row] = admission;
      // Only the row names the caller.
      if (admitted) await meter.count(() => take(admitted));
      // At once, because the repetition may fail.
      describe?.(commonHeadersOf(row, admitted));
      let caller = admitted;
      if (!row.fresh && row.needed_position !== null) {
        await this.positions.waitFor(BigInt(row.needed_position), MAX_REVISION_WAIT_MS);
        row = await this.ask(request, rule, query, args);
        caller = judge(row);
        describe?.(commonHeadersOf(row, caller));
      }
      return presentRead(row, caller, query);
    } catch (cause) {
      throw isStoreUnavailable(cause) ? storeUnavailable(credential, cause) : cause;
    }
  }

  private async ask<Args, Result>(
    { credential, minPosition }: ReadRequest,
    rule: ReadRule,
    query: ReadQuery<Args, Result>,
    args: Args,
  ): Promise<AdmissionRow> {
    const [row] = await this.statements.run<AdmissionRow>({
      name: query.name,
      text: (schemaName) => admittedReadSql(schemaName, query),
      values: ({ incarnation }) => [
        ...admissionParameters({
          tokenHash: credential?.tokenHash ?? null,
          now: this.clock.now(),
          incarnation,
          scope: rule.scope ?? null,
          minPosition: minPosition === undefined ? null : String(minPosition),
        }),
        ...query.values(args),
      ],
    });
    return row;
  }
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
