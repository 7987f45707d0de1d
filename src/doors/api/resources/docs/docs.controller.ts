import { Controller, Get, Inject, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { OpenApi } from '../../openapi/openapi.js';
import { API_DOCUMENT } from '../../openapi/openapi.controller.js';
import { PreparedAnswer } from '../../openapi/prepared-answer.js';
import { docsHeaders, docsPage } from './docs.page.js';

@Controller('docs')
export class DocsController {
  private readonly page: PreparedAnswer;

  constructor(@Inject(API_DOCUMENT) document: OpenApi) {
    this.page = new PreparedAnswer(docsPage(document), docsHeaders);
  }

  @Get()
  read(@Req() request: FastifyRequest, @Res() reply: FastifyReply): void {
    this.page.send(request, reply);
  }
}
