import { createHash } from 'node:crypto';
import type { FastifyReply } from 'fastify';
import { HttpRefusal } from '../../http/server/errors.js';
import { style } from '../../pages/style.js';
import { passkeyScript } from './passkey-script.js';
import { consoleStyle } from './style.js';

/** A static file. Its name has the digest of its content, so browsers keep it for good. */
interface Asset {
  readonly path: string;
  readonly type: string;
  readonly content: string;
}

function asset(name: string, ending: string, type: string, content: string): Asset {
  const digest = createHash('sha256').update(content).digest('hex').slice(0, 16);
  return { path: `/console/assets/${name}-${digest}.${ending}`, type, content };
}

export const styleAsset = asset('console', 'css', 'text/css; charset=utf-8', style + consoleStyle);
export const passkeyAsset = asset('passkey', 'js', 'text/javascript; charset=utf-8', passkeyScript);

const byPath = new Map([styleAsset, passkeyAsset].map((each) => [each.path, each]));

/** @throws {HttpRefusal} `not_found` */
export function sendAsset(reply: FastifyReply, file: string): FastifyReply {
  const found = byPath.get(`/console/assets/${file}`);
  if (!found) throw new HttpRefusal('not_found', 'There is no such file.');
  return reply
    .headers({
      'content-type': found.type,
      'cache-control': 'public, max-age=31536000, immutable',
      'x-content-type-options': 'nosniff',
    })
    .send(found.content);
}
