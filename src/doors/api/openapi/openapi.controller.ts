import { Controller, Get, Inject, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { OpenApi } from './openapi.js';
import { PreparedAnswer } from './prepared-answer.js';

export const API_DOCUMENT = Symbol('API_DOCUMENT');

@Controller('api/openapi.json')
export class OpenApiController {
  private readonly answer: PreparedAnswer;

  constructor(@Inject(API_DOCUMENT) document: OpenApi) {
    const headers = { 'content-type': 'application/json; charset=utf-8' };
    this.answer = new PreparedAnswer(JSON.stringify(document), headers);
  }

  @Get()
  read(@Req() request: FastifyRequest, @Res() reply: FastifyReply): void {
    this.answer.send(request, reply);
  }
}
