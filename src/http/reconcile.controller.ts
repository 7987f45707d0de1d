import { Controller, Get, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { reconcile } from '../../projections/reconcile/reconcile.read-model.js';
import type { View } from '../../projections/reconcile/reconcile.read-model.js';
import { ProtectedReads } from './admission/protected-reads.js';
import type { ReadRequest } from './admission/protected-reads.js';
import { Reading } from './read-request.js';

@Controller('api/reconcile')
export class ReconcileController {
  constructor(private readonly reads: ProtectedReads) {}

  @Get()
  async reconcile(
    @Reading() request: ReadRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<View> {
    const { result, headers } = await this.reads.read(
      request,
      { scope: 'read', anonymous: true },
      reconcile,
      undefined,
    );
    void reply.headers(headers);
    return result;
  }
}
