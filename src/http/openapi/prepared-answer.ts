import { createHash } from 'node:crypto';
import type { FastifyReply, FastifyRequest } from 'fastify';

/** Public, and the same for everybody while the process lives. Anonymous and not limited, so it must cost nothing. */
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

  /** An empty 304 for a client that has it (RFC 9110, section 13.1.2). */
  send({ headers }: FastifyRequest, reply: FastifyReply): FastifyReply {
    void reply.headers({ ...this.headers, etag: this.etag, 'cache-control': 'max-age=60' });
    return isHeld(headers['if-none-match'], this.etag) ? reply.status(304).send() : reply.send(this.body);
  }
}

const isHeld = (held: string | undefined, etag: string): boolean =>
  held?.split(',').some((tag) => ['*', etag, `W/${etag}`].includes(tag.trim())) ?? false;
