import type { FastifyReply, FastifyRequest } from 'fastify';
import { isRefused, rateLimitFields, secondsToReset } from '../../limits/rate-limit-fields.js';
import type { QuotaState } from '../../limits/rate-limit-fields.js';
import { HttpRefusal } from '../server/errors.js';

const meters = new WeakMap<object, RequestMeter>();

/** The meter of this request: a mutation that also reads is counted as the mutation alone. */
export function requestMeterOf(request: FastifyRequest, reply: FastifyReply): RequestMeter {
  const meter = meters.get(request) ?? new RequestMeter(request, reply);
  meters.set(request, meter);
  return meter;
}

/** One request, as limits see it: it is counted once, however many statements its answer takes. */
export class RequestMeter {
  /** `request.ip` */
  readonly nearest: string;
  private counted: Promise<void> | undefined;

  constructor(
    { ip }: Pick<FastifyRequest, 'ip'>,
    private readonly reply: Pick<FastifyReply, 'headers'>,
  ) {
    this.nearest = ip;
  }

  /**
   * From here on the answer, whatever it will be, says what is left.
   * @param take asked the first time alone; undefined: there are no limits. @throws {HttpRefusal} `pilot_rate_limited`
   */
  count(take: () => Promise<QuotaState | undefined>): Promise<void> {
    return (this.counted ??= this.look(take));
  }

  private async look(take: () => Promise<QuotaState | undefined>): Promise<void> {
    this.refuseIfUsedUp(await take());
  }

  /** Says how a budget stands; undefined: there is nothing to say. @throws {HttpRefusal} `pilot_rate_limited` */
  refuseIfUsedUp(standing: QuotaState | undefined): void {
    if (!standing) return;
    void this.reply.headers(rateLimitFields([standing.policy], [standing]));
    if (!isRefused(standing)) return;
    const wait = secondsToReset(standing.claim);
    throw new HttpRefusal('pilot_rate_limited', `This limit is used up; come back in ${wait} s.`);
  }
}
