import type { FastifyInstance, FastifyRequest } from 'fastify';
import { limits } from '../../base/config/limit-settings.js';
import { isPlainUtf8 } from '../../base/support/plain-utf8.js';
import { HttpRefusal } from '../errors.js';
import { isSingleHeader } from '../network-origin.js';
import { hasRepeatedField } from './repeated-field.js';
import { unknownField } from './unknown-field.js';

export const JSON_BODY_LIMIT_BYTES = limits.bodies.bytes;

const utf8 = new TextDecoder('utf-8', { fatal: true });

/** Makes a server read only JSON in UTF-8: any other content type is answered with 415. */
export function acceptOnlyJson(server: FastifyInstance): void {
  server.removeAllContentTypeParsers();
  server.addContentTypeParser(
    'application/json',
    { parseAs: 'buffer', bodyLimit: JSON_BODY_LIMIT_BYTES },
    (request, body: Buffer, done) => {
      try {
        done(null, parse(request, body));
      } catch (error) {
        done(error as Error);
      }
    },
  );
}

function parse(request: FastifyRequest, body: Buffer): unknown {
  if (!isSingleHeader(request, 'content-type'))
    throw new HttpRefusal('invalid_request', 'Send one header Content-Type.');
  if (!isPlainUtf8(request.headers))
    throw new HttpRefusal('invalid_json', 'Send the body in UTF-8, without a content encoding.', {
      status: 415,
    });
  const json = read(body);
  // A schema would treat names of `Object.prototype` as known fields.
  const inherited = Object.keys(Object(json)).find((name) => name in Object.prototype);
  if (inherited !== undefined) throw unknownField([inherited]);
  return json;
}

function read(body: Buffer): unknown {
  let text: string, json: unknown;
  try {
    text = utf8.decode(body);
    json = JSON.parse(text);
  } catch (cause) {
    throw new HttpRefusal('invalid_json', 'The body is not JSON in UTF-8.', { cause });
  }
  if (hasRepeatedField(text, json))
    throw new HttpRefusal('invalid_json', 'An object of the body names a field twice; name it once.');
  return json;
}
