import { describe, expect, it } from '@jest/globals';
import { isForeignStream, isOwnStream, streams } from './streams.js';

describe('a stream', () => {
  it('is the network’s own if code names it so', () => {
    for (const name of Object.values(streams)) expect(isOwnStream(name('one', 'other'))).toBe(true);
  });

  it('is the network’s own if a newer version may have named it', () => {
    expect(isOwnStream('plaza_case-1')).toBe(true);
    expect(isForeignStream('plaza_case-1')).toBe(false);
  });

  it.each(['order-1', 'postage-1', 'posts', 'Post-1', 'plaza-1', 'plaza_', ''])(
    'is another application’s if it is called “%s”',
    (name) => {
      expect(isOwnStream(name)).toBe(false);
      expect(isForeignStream(name)).toBe(true);
    },
  );

  it.each(['$stats-127.0.0.1:2113', '$$post-1', '$ce-post'])('is the server’s if it is called %s', (name) => {
    expect(isOwnStream(name)).toBe(false);
    expect(isForeignStream(name)).toBe(false);
  });
});
