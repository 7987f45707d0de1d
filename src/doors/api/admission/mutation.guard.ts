import { applyDecorators, createParamDecorator, Injectable, SetMetadata, UseGuards } from '@nestjs/common';
import type { CanActivate, ExecutionContext } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Authority } from '../../../commands/support/intent.js';
import { addressClassOf } from '../../../server/limits/address-class.js';
import { clientRequestIdOf } from '../../../server/client-request-id.js';
import { unauthenticated } from '../../../server/errors.js';
import { RequestLimits } from '../limits/request-limits.js';
import { limitRefusedTokens } from '../limits/refused-token-limit.js';
import { requestMeterOf } from '../limits/request-meter.js';
import type { Caller } from '../limits/caller.js';
import { credentialOf } from './credential.js';
import { MutationAdmission } from './mutation-admission.js';
import type { MutationRule } from './mutation-admission.js';

const RULE = 'rule of the mutation';

type RequestWithAuthority = FastifyRequest & { authority?: Authority };

/** Admits the caller of a mutation and counts it against the caller's limit of writes, before its body is validated. */
@Injectable()
export class MutationGuard implements CanActivate {
  constructor(
    private readonly admission: MutationAdmission,
    private readonly limits: RequestLimits,
    private readonly reflector: Reflector,
  ) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const http = context.switchToHttp();
    const request = http.getRequest<RequestWithAuthority>();
    const rule = this.reflector.get<MutationRule>(RULE, context.getHandler());
    const meter = requestMeterOf(request, http.getResponse<FastifyReply>());
    const credential = credentialOf(request);
    if (!credential) throw unauthenticated();
    const take = (caller: Caller) => this.limits.write(caller);
    const admit = () => this.admission.admit(credential, rule);
    const caller = await limitRefusedTokens(this.limits, meter, credential.tokenHash, admit, take);
    await meter.count(() => take(caller));
    const { actorId, appId, grantId } = caller;
    request.authority = {
      actorId,
      appId,
      grantId,
      requestId: request.id,
      clientRequestId: clientRequestIdOf(request.raw),
      addressClass: addressClassOf(request.ip),
    };
    return true;
  }
}

/**
 * Marks a handler as a mutation that needs this scope. `publishes`: the mutation is refused while an operator has
 * paused publishing.
 */
export const Mutation = (scope: string, { publishes = false } = {}): MethodDecorator =>
  applyDecorators(SetMetadata(RULE, { scope, publishes } satisfies MutationRule), UseGuards(MutationGuard));

export const ActingAuthority = createParamDecorator((_data: unknown, context: ExecutionContext) => {
  const { authority } = context.switchToHttp().getRequest<RequestWithAuthority>();
  if (!authority) throw new Error('a handler with @ActingAuthority must be marked with @Mutation');
  return authority;
});

export const mutationRuleOf = (handler: object): MutationRule | undefined =>
  Reflect.getMetadata(RULE, handler) as MutationRule | undefined;
