import type { FastifyInstance } from 'fastify';
import { HttpRefusal } from './errors.js';

/** decisions.md, "Values". */
export const BODY_LIMIT_BYTES = 64 * 1024;

const utf8 = new TextDecoder('utf-8', { fatal: true });

/** The social API takes JSON in UTF-8 and nothing else: any other content type is 415. */
export function acceptOnlyJson(server: FastifyInstance): void {
  server.removeAllContentTypeParsers();
  server.addContentTypeParser(
    'application/json',
    { parseAs: 'buffer', bodyLimit: BODY_LIMIT_BYTES },
    (_request, body: Buffer, done) => {
      try {
        done(null, JSON.parse(utf8.decode(body)));
      } catch (cause) {
        done(new HttpRefusal('invalid_json', 'The body is not JSON in UTF-8.', { cause }));
      }
    },
  );
}
