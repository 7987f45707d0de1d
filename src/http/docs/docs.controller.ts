import { Controller, Get, Inject, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import type { OpenApi } from '../openapi/openapi.js';
import { API_DOCUMENT } from '../openapi/openapi.controller.js';
import { docsHeaders, docsPage } from './docs.page.js';

@Controller('docs')
export class DocsController {
  private readonly page: string;

  constructor(@Inject(API_DOCUMENT) document: OpenApi) {
    this.page = docsPage(document);
  }

  @Get()
  read(@Res({ passthrough: true }) reply: FastifyReply): string {
    void reply.headers(docsHeaders);
    return this.page;
  }
}
