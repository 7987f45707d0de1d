import type { FastifyReply, FastifyRequest } from 'fastify';
import {
  isLimitExceeded,
  rateLimitFields,
  secondsToReset,
} from '../../../server/limits/rate-limit-fields.js';
import type { QuotaState } from '../../../server/limits/rate-limit-fields.js';
import { HttpRefusal } from '../../../server/errors.js';

const meters = new WeakMap<object, RequestMeter>();

/**
 * Returns the meter of a request, always the same one: each request is counted once, and a mutation that also reads as
 * a mutation only.
 */
export function requestMeterOf(request: FastifyRequest, reply: FastifyReply): RequestMeter {
  const meter = meters.get(request) ?? new RequestMeter(request, reply);
  meters.set(request, meter);
  return meter;
}

export class RequestMeter {
  readonly peerAddress: string;
  private counted: Promise<void> | undefined;

  constructor(
    { ip }: Pick<FastifyRequest, 'ip'>,
    private readonly reply: Pick<FastifyReply, 'headers'>,
  ) {
    this.peerAddress = ip;
  }

  /**
   * Counts the request once, and sets the rate-limit headers of its answer, also for an error.
   * @param take takes a point of a limit; its result undefined: no limit applies.
   * @throws {HttpRefusal} `pilot_rate_limited`: no point is left.
   */
  count(take: () => Promise<QuotaState | undefined>): Promise<void> {
    return (this.counted ??= this.takeOnce(take));
  }

  private async takeOnce(take: () => Promise<QuotaState | undefined>): Promise<void> {
    this.refuseIfUsedUp(await take());
  }

  /**
   * Sets the rate-limit headers; undefined: no limit applies.
   * @throws {HttpRefusal} `pilot_rate_limited`: no point is left.
   */
  refuseIfUsedUp(state: QuotaState | undefined): void {
    if (!state) return;
    void this.reply.headers(rateLimitFields([state.policy], [state]));
    if (!isLimitExceeded(state)) return;
    const wait = secondsToReset(state.consumed);
    throw new HttpRefusal('pilot_rate_limited', `This limit is used up; retry in ${wait} s.`);
  }
}
