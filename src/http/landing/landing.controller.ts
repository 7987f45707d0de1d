import { Controller, Get, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { Config } from '../../config/config.js';
import { pageHeaders } from '../../pages/layout.js';
import { landingPage } from './landing.page.js';

@Controller()
export class LandingController {
  private readonly page: string;

  constructor(config: Config) {
    this.page = landingPage(config);
  }

  @Get()
  read(@Res({ passthrough: true }) reply: FastifyReply): string {
    void reply.headers(headers);
    return this.page;
  }
}

const headers = pageHeaders();
