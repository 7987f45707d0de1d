/**
 * Lets Node load TypeScript with decorators: compiled by swc with the build's settings, once for all processes. For spec
 * files (native.runtime.mjs), and with `--import` for programs of tests, chaos and fuzz.
 */
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { createRequire, registerHooks } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const require = createRequire(import.meta.url);
const root = new URL('../../', import.meta.url);
const tests = /^(packages\/[^/]+\/)?test\//;
const globals = new URL('jest-globals.mjs', import.meta.url).href;
const cache = fileURLToPath(new URL('node_modules/.cache/tests/', root));
const {
  exclude: _specsToo,
  $schema: _schema,
  ...swc
} = JSON.parse(readFileSync(new URL('.swcrc', root), 'utf8'));
const settings = JSON.stringify([require('@swc/core/package.json').version, swc]);

/** By path of the TypeScript: the file with its source map, for stack traces. These name the path as a URL, with the run. */
class SourceMaps extends Map {
  get(name) {
    return super.get(name.replace(/^file:\/\//, '').replace(/\?run=\d+$/, ''));
  }
}

export const sourceMaps = new SourceMaps();

mkdirSync(cache, { recursive: true });
registerHooks({ resolve, load });

function resolve(specifier, context, next) {
  const { parentURL = '' } = context;
  const run = /\?run=\d+$/.exec(parentURL)?.[0] ?? '';
  if (specifier === '@jest/globals') return { url: `${globals}${run}`, format: 'module', shortCircuit: true };
  // The packages beside the house run from their source, not from a build.
  if (specifier.startsWith('@plaza/'))
    return next(specifier, { ...context, conditions: [...context.conditions, 'source'] });
  if (!specifier.startsWith('.') || !parentURL.startsWith('file:') || parentURL.includes('/node_modules/'))
    return next(specifier, context);
  const url = new URL(specifier, parentURL);
  if (url.pathname.endsWith('.js')) {
    const source = new URL(url.href.replace(/\.js$/, '.ts'));
    if (existsSync(source))
      return {
        url: `${source.href}${tests.test(source.href.slice(root.href.length)) ? run : ''}`,
        format: 'module',
        shortCircuit: true,
      };
  }
  return next(specifier, context);
}

function load(url, context, next) {
  const { pathname } = new URL(url);
  if (!pathname.endsWith('.ts') || pathname.includes('/node_modules/')) return next(url, context);
  return { format: 'module', source: compiled(fileURLToPath(url)), shortCircuit: true };
}

function compiled(path) {
  const source = readFileSync(path, 'utf8');
  const file = join(cache, createHash('sha256').update(`${settings}\0${path}\0${source}`).digest('hex'));
  if (!existsSync(file)) {
    // Most processes find everything compiled.
    const { code, map } = require('@swc/core').transformSync(source, {
      ...swc,
      swcrc: false,
      filename: path,
      sourceMaps: true,
    });
    write(`${file}.map`, map);
    write(file, code);
  }
  sourceMaps.set(path, `${file}.map`);
  return readFileSync(file, 'utf8');
}

/** Atomic: other workers find it complete or not at all. */
function write(file, text) {
  const unfinished = `${file}.${process.pid}`;
  writeFileSync(unfinished, text);
  renameSync(unfinished, file);
}
