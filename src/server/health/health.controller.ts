import { Controller, Get, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Config } from '../../base/config/config.js';
import { pageHeaders } from '../../base/pages/layout.js';
import { asksForPage } from '../asks-for-page.js';
import { Health } from './health.js';
import type { Readiness } from './health.js';
import { answerReadiness } from './probes.js';
import { readinessPage } from './readiness.page.js';

@Controller()
export class HealthController {
  constructor(
    private readonly health: Health,
    private readonly config: Config,
  ) {}

  @Get('livez')
  live(): { status: 'ok' } {
    return { status: 'ok' };
  }

  @Get('readyz')
  async ready(
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<Readiness | string> {
    const readiness = answerReadiness(reply, await this.health.readiness());
    void reply.header('vary', 'Accept');
    if (!asksForPage(request.headers)) return readiness;
    void reply.headers(pageHeaders());
    return readinessPage(readiness, this.config.operatorContact);
  }
}
