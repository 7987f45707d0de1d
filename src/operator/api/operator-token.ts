import { createHash, timingSafeEqual } from 'node:crypto';
import { join } from 'node:path';
import type { FastifyInstance } from 'fastify';
import type { Config } from '../../config/config.js';
import { HttpRefusal } from '../../http/server/errors.js';
import { secretFile } from '../../launch/secret-file.js';

/** The token that is configured, or else the one in `DATA_DIR/operator.token`, made if it is not there. */
export function operatorToken({ operatorToken, dataDir }: Config): string {
  return operatorToken ?? secretFile(join(dataDir, 'operator.token'));
}

/** What scrapers read without a token. */
const open: ReadonlySet<string | undefined> = new Set(['/metrics']);

/** Lets in whoever has the operator's token: before the body is read, and in constant time. */
export function requireOperator(server: FastifyInstance, token: string): void {
  const expected = digest(`Bearer ${token}`);
  server.addHook('onRequest', (request, _reply, done) => {
    if (open.has(request.routeOptions.url)) return done();
    const { authorization } = request.headers;
    if (authorization === undefined)
      return done(new HttpRefusal('authentication_required', "Send the operator's token as a bearer token."));
    if (!timingSafeEqual(digest(authorization), expected))
      return done(new HttpRefusal('invalid_token', "That is not the operator's token."));
    done();
  });
}

/** Of equal length whatever was sent. */
const digest = (text: string) => createHash('sha256').update(text).digest();
