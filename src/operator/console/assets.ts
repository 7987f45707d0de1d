import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { FastifyReply } from 'fastify';
import { HttpRefusal } from '../../server/errors.js';
import { icon } from '../../base/pages/icon.js';
import { style } from '../../base/pages/style.js';
import { caseKeysScript } from './case-keys-script.js';
import { passkeyScript } from '../../base/pages/passkey-script.js';
import { plotsScript } from './plots-script.js';
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

const contentOf = (url: string): string => readFileSync(fileURLToPath(url), 'utf8');

export const styleAsset = asset('console', 'css', 'text/css; charset=utf-8', style + consoleStyle);
export const passkeyAsset = asset('passkey', 'js', 'text/javascript; charset=utf-8', passkeyScript);

export const caseKeysAsset = asset('case-keys', 'js', 'text/javascript; charset=utf-8', caseKeysScript);

export const iconAsset = asset('icon', 'svg', 'image/svg+xml', icon);

export const plotsAsset = asset('plots', 'js', 'text/javascript; charset=utf-8', plotsScript);
export const uPlotAsset = asset(
  'uplot',
  'js',
  'text/javascript; charset=utf-8',
  contentOf(import.meta.resolve('uplot/dist/uPlot.iife.min.js')),
);
export const uPlotStyleAsset = asset(
  'uplot',
  'css',
  'text/css; charset=utf-8',
  contentOf(import.meta.resolve('uplot/dist/uPlot.min.css')),
);

const byPath = new Map(
  [styleAsset, passkeyAsset, caseKeysAsset, iconAsset, plotsAsset, uPlotAsset, uPlotStyleAsset].map(
    (each) => [each.path, each],
  ),
);

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
