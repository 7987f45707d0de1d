import { Controller, Get, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { LogKeys } from '../../../log/vault/log-keys.js';
import { RequestLimits } from '../limits/request-limits.js';
import { requestMeterOf } from '../limits/request-meter.js';

@Controller('log/key')
export class LogKeyController {
  constructor(
    private readonly keys: LogKeys,
    private readonly limits: RequestLimits,
  ) {}

  @Get()
  async read(
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<string> {
    const meter = requestMeterOf(request, reply);
    await meter.count(() => this.limits.anonymousRead('reads', meter.peerAddress));
    void reply.headers({ 'content-type': 'text/plain; charset=utf-8', 'cache-control': 'no-store' });
    return this.keys.verifierKeys.map((key) => `${key}\n`).join('');
  }
}
