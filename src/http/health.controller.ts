import { Controller, Get, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
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
    void reply.header('cache-control', 'no-store').status(readiness.status === 'ok' ? 200 : 503);
    return readiness;
  }
}
