import { createHash } from 'node:crypto';
import type { FastifyReply, FastifyRequest } from 'fastify';

/**
 * An answer that is the same for everybody while the process lives. It needs no token and counts against no limit, so
 * its body and ETag are computed once.
 */
export class PreparedAnswer {
  private readonly body: Buffer;
  private readonly etag: string;

  constructor(
    text: string,
    private readonly headers: Readonly<Record<string, string>>,
  ) {
    this.body = Buffer.from(text);
    this.etag = `"${createHash('sha256').update(this.body).digest('base64url')}"`;
  }

  /** Sends the body, or an empty 304 to a client that has it already (RFC 9110, section 13.1.2). */
  send({ headers }: FastifyRequest, reply: FastifyReply): FastifyReply {
    void reply.headers({ ...this.headers, etag: this.etag, 'cache-control': 'max-age=60' });
    return isHeld(headers['if-none-match'], this.etag) ? reply.status(304).send() : reply.send(this.body);
  }
}

const isHeld = (held: string | undefined, etag: string): boolean =>
  held?.split(',').some((tag) => ['*', etag, `W/${etag}`].includes(tag.trim())) ?? false;
