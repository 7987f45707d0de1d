import { Controller, Get, Inject } from '@nestjs/common';
import type { OpenApi } from './openapi.js';

export const API_DOCUMENT = Symbol('API_DOCUMENT');

@Controller('api/openapi.json')
export class OpenApiController {
  constructor(@Inject(API_DOCUMENT) private readonly document: OpenApi) {}

  @Get()
  read(): OpenApi {
    return this.document;
  }
}
