import type { EventMetadata } from '../../log/recorded.js';
import type { Act } from './act.js';
import { Approvals } from './approvals/approvals.js';
import { requireAdmission } from './admission.js';
import { operatorIdOf } from './caller.js';
import type { Caller } from './caller.js';
import { parse } from './schemas.js';
import type { ActServices } from './services.js';

export interface ActRequest {
  readonly caller: Caller;
  readonly requestId: string;
  readonly clientRequestId: string;
  /** The name of `x-operator`, which nothing proves. */
  readonly claimedName: string | undefined;
  readonly idempotencyKey: string | undefined;
  readonly params: Readonly<Record<string, string>>;
  /** The body, or the query of a GET. */
  readonly input: unknown;
}

/**
 * The only way to an operator's act, from every entrance: it checks who may do it and if another operator must approve,
 * and makes the metadata that is recorded.
 */
export class Acts {
  private readonly approvals: Approvals;

  constructor(
    private readonly services: ActServices,
    table: readonly Act[],
  ) {
    this.approvals = new Approvals(services, table);
  }

  /** Returns the answer of the act, or an {@link AwaitedApproval}. @throws {HttpRefusal}, {Refusal} and errors of the stores. */
  async perform(act: Act, { caller, params, idempotencyKey, ...request }: ActRequest): Promise<unknown> {
    requireAdmission(act, caller);
    const input = act.schema && parse(act.schema, request.input);
    const metadata = metadataOf(caller, request, input?.reason);
    const { services, approvals: desk } = this;
    const context = { services, caller, metadata, params, idempotencyKey, desk };
    return this.approvals.perform(act, input, context);
  }
}

function metadataOf(
  caller: Caller,
  {
    requestId,
    clientRequestId,
    claimedName,
  }: Pick<ActRequest, 'requestId' | 'clientRequestId' | 'claimedName'>,
  reason: string | undefined,
): EventMetadata {
  return { requestId, clientRequestId, operatorId: operatorIdOf(caller), operator: claimedName, reason };
}
