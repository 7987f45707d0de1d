import { createHash, timingSafeEqual } from 'node:crypto';
import { join } from 'node:path';
import type { FastifyInstance } from 'fastify';
import type { Config } from '../../config/config.js';
import { HttpRefusal } from '../../http/server/errors.js';
import { ensureSecret } from '../../launch/secret-file.js';

/** Returns the configured operator token, or the one in `DATA_DIR/operator.token`, created if absent. */
export function operatorToken({ operatorToken, dataDir }: Config): string {
  return operatorToken ?? ensureSecret(join(dataDir, 'operator.token'));
}

const withoutToken: ReadonlySet<string | undefined> = new Set(['/metrics']);

/**
 * Rejects requests without the operator token, except for `/metrics`, before their body is read. Compares tokens in
 * constant time.
 */
export function requireOperator(server: FastifyInstance, token: string): void {
  const expected = digest(`Bearer ${token}`);
  server.addHook('onRequest', (request, _reply, done) => {
    if (withoutToken.has(request.routeOptions.url)) return done();
    const { authorization } = request.headers;
    if (authorization === undefined)
      return done(new HttpRefusal('authentication_required', 'Send the operator token as a bearer token.'));
    if (!timingSafeEqual(digest(authorization), expected))
      return done(
        new HttpRefusal(
          'invalid_token',
          'This is not the operator token; see OPERATOR_TOKEN or DATA_DIR/operator.token.',
        ),
      );
    done();
  });
}

/** `timingSafeEqual` needs inputs of equal length. */
const digest = (text: string) => createHash('sha256').update(text).digest();
