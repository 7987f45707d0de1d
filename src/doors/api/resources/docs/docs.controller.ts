import { Controller, Get, Inject, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Config } from '../../../../base/config/config.js';
import { HttpRefusal } from '../../../../server/errors.js';
import type { OpenApi } from '../../openapi/openapi.js';
import { API_DOCUMENT } from '../../openapi/openapi.controller.js';
import { PreparedAnswer } from '../../openapi/prepared-answer.js';
import { docsPage } from './docs.page.js';
import { docsHeaders } from './frame.js';
import type { Reference } from './frame.js';
import { guideAt, readGuide } from './guide/guide.js';

@Controller('docs')
export class DocsController {
  private reference: Reference | undefined;
  /** By path: each page is made when it is first asked for. */
  private readonly made = new Map<string, PreparedAnswer>();

  constructor(
    @Inject(API_DOCUMENT) private readonly document: OpenApi,
    private readonly config: Config,
  ) {}

  @Get()
  overview(@Req() request: FastifyRequest, @Res() reply: FastifyReply): void {
    this.send(request, reply);
  }

  @Get('guide')
  guide(@Req() request: FastifyRequest, @Res() reply: FastifyReply): void {
    this.send(request, reply);
  }

  @Get('errors')
  errors(@Req() request: FastifyRequest, @Res() reply: FastifyReply): void {
    this.send(request, reply);
  }

  @Get('schemas')
  schemas(@Req() request: FastifyRequest, @Res() reply: FastifyReply): void {
    this.send(request, reply);
  }

  @Get('all')
  all(@Req() request: FastifyRequest, @Res() reply: FastifyReply): void {
    this.send(request, reply);
  }

  @Get('operations/:id')
  operation(@Req() request: FastifyRequest, @Res() reply: FastifyReply): void {
    this.send(request, reply);
  }

  /** Beside a slash at the end, nothing is here. */
  @Get('*')
  other(@Req() request: FastifyRequest, @Res() reply: FastifyReply): void {
    this.send(request, reply);
  }

  private send(request: FastifyRequest, reply: FastifyReply): void {
    const [path = '', query] = request.url.split('?');
    // A slash at the end of an address is a habit, and no mistake.
    const page = path.replace(/\/+$/, '');
    if (page !== path) void reply.redirect(query === undefined ? page : `${page}?${query}`, 301);
    else this.answerAt(path).send(request, reply);
  }

  /** @throws {HttpRefusal} `not_found` */
  private answerAt(path: string): PreparedAnswer {
    const made = this.made.get(path);
    if (made) return made;
    this.reference ??= { document: this.document, guide: guideAt(readGuide(), this.config) };
    const page = docsPage(path, this.reference);
    if (page === undefined) throw new HttpRefusal('not_found', 'There is nothing at this address.');
    const answer = new PreparedAnswer(page, docsHeaders);
    this.made.set(path, answer);
    return answer;
  }
}
