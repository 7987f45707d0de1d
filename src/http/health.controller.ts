import { Controller, Get, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { RETRY_AFTER_SECONDS } from './errors.js';
import { Health } from './health.js';
import type { Readiness } from './health.js';

@Controller()
export class HealthController {
  constructor(private readonly health: Health) {}

  /** This process runs; whether it can serve is `/readyz`. */
  @Get('livez')
  live(): { status: 'ok' } {
    return { status: 'ok' };
  }

  @Get('readyz')
  async ready(@Res({ passthrough: true }) reply: FastifyReply): Promise<Readiness> {
    const readiness = await this.health.readiness();
    if (readiness.status !== 'ok') void reply.status(503).header('retry-after', String(RETRY_AFTER_SECONDS));
    return readiness;
  }
}
