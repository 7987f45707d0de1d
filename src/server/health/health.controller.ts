import { Controller, Get, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { Health } from './health.js';
import type { Readiness } from './health.js';
import { answerReadiness } from './probes.js';

@Controller()
export class HealthController {
  constructor(private readonly health: Health) {}

  @Get('livez')
  live(): { status: 'ok' } {
    return { status: 'ok' };
  }

  @Get('readyz')
  async ready(@Res({ passthrough: true }) reply: FastifyReply): Promise<Readiness> {
    return answerReadiness(reply, await this.health.readiness());
  }
}
