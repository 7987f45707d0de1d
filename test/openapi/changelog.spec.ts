import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { HttpModule } from '../../src/doors/api/http.module.js';
import { documentOf } from '../../src/doors/api/openapi/document.js';
import { operationsOf } from '../../src/doors/api/openapi/openapi.js';

const changelog = readFileSync(new URL('../../CHANGELOG.md', import.meta.url), 'utf8');
const document = documentOf(HttpModule, 'https://network.example');

/** Everything that programs depend on: the document without texts and examples, whose names are codes. */
const shape = JSON.stringify(document, (name, value: unknown) => {
  if (name === 'examples') return Object.keys(value as object);
  return ['summary', 'example', 'tags'].includes(name) ||
    (name === 'description' && typeof value === 'string')
    ? undefined
    : value;
});

describe('CHANGELOG.md', () => {
  it('names every operation of the document under its version [version-changelog]', () => {
    const [, newest = ''] = changelog.split(/^## /m);
    expect(newest).toMatch(new RegExp(`^${document.info.version} - \\d{4}-\\d\\d-\\d\\d\n`));
    const unnamed = operationsOf(document)
      .map(({ path, method }) => `${method.toUpperCase()} ${path}`)
      .filter((operation) => !changelog.includes(`\`${operation}\``));
    expect(unnamed).toEqual([]);
  });

  it('has the digest of the document: a change of the document needs an entry with the new digest [version-changelog]', () => {
    const digest = createHash('sha256').update(shape).digest('hex').slice(0, 16);
    expect(/^Digest of the document: `([0-9a-f]+)`/m.exec(changelog)?.[1]).toBe(digest);
  });
});
