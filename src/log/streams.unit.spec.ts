import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { isForeignStream, isOwnStream, ownStreams, streams } from './streams.js';

describe('a stream', () => {
  it('belongs to the network if the code names it', () => {
    for (const name of Object.values(streams)) expect(isOwnStream(name('one', 'other'))).toBe(true);
  });

  it('belongs to the network if a newer version may name it', () => {
    expect(isOwnStream('plaza_case-1')).toBe(true);
    expect(isForeignStream('plaza_case-1')).toBe(false);
  });

  it('belongs to the network if docs/event-store.md names it, and only then', () => {
    const document = readFileSync(new URL('../../docs/event-store.md', import.meta.url), 'utf8');
    const [, list = ''] = /Plaza's streams are ([^.]*)\./.exec(document) ?? [];
    const { names, prefixes } = ownStreams;
    expect(list.match(/(?<=`)[^`,\s]+(?=`)/g)).toEqual([...names, ...prefixes.map((each) => `${each}…`)]);
  });

  it.each([
    'order-1',
    'postage-1',
    'posts',
    'Post-1',
    'plaza-1',
    'network-x',
    'readiness-x',
    'networks',
    'account',
    '',
  ])('belongs to another application if it is called “%s”', (name) => {
    expect(isOwnStream(name)).toBe(false);
    expect(isForeignStream(name)).toBe(true);
  });

  it.each(['$stats-127.0.0.1:2113', '$$post-1', '$ce-post'])(
    'belongs to the server if it is called %s',
    (name) => {
      expect(isOwnStream(name)).toBe(false);
      expect(isForeignStream(name)).toBe(false);
    },
  );
});
