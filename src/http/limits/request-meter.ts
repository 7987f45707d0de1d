import type { FastifyReply, FastifyRequest } from 'fastify';
import { isLimitExceeded, rateLimitFields, secondsToReset } from '../../limits/rate-limit-fields.js';
import type { QuotaState } from '../../limits/rate-limit-fields.js';
import { HttpRefusal } from '../server/errors.js';

const meters = new WeakMap<object, RequestMeter>();

/** Returns the single meter of the request. A mutation that also reads counts as a mutation only. */
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
   * Sets the limit headers of the answer, also for an error.
   * @param take called once per request; undefined: no limits.
   * @throws {HttpRefusal} `pilot_rate_limited`
   */
  count(take: () => Promise<QuotaState | undefined>): Promise<void> {
    return (this.counted ??= this.takeOnce(take));
  }

  private async takeOnce(take: () => Promise<QuotaState | undefined>): Promise<void> {
    this.refuseIfUsedUp(await take());
  }

  /** Sets the limit headers; undefined: no limits. @throws {HttpRefusal} `pilot_rate_limited` */
  refuseIfUsedUp(state: QuotaState | undefined): void {
    if (!state) return;
    void this.reply.headers(rateLimitFields([state.policy], [state]));
    if (!isLimitExceeded(state)) return;
    const wait = secondsToReset(state.claim);
    throw new HttpRefusal('pilot_rate_limited', `This limit is used up; retry in ${wait} s.`);
  }
}
