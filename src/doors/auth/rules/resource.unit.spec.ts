import { describe, expect, it, jest } from '@jest/globals';
import { isOwnResource } from './resource.js';

const baseUrl = 'https://plaza.example';

describe('a resource indicator', () => {
  it.each([baseUrl, `${baseUrl}/`, 'HTTPS://PLAZA.example:443', 'https://%70laza.example'])(
    'names the network as %s',
    (resource) => {
      expect(isOwnResource(resource, baseUrl)).toBe(true);
    },
  );

  it.each(['https://other.example', `${baseUrl}/x`, 'plaza', ''])('does not name it as %j', (resource) => {
    expect(isOwnResource(resource, baseUrl)).toBe(false);
  });

  it('is not parsed if it is too long', () => {
    const parse = jest.spyOn(URL, 'parse');
    const isOwn = isOwnResource(`https://${'\u4e00\u4e8c'.repeat(10_000)}`, baseUrl);
    expect([isOwn, parse.mock.calls]).toEqual([false, []]);
    parse.mockRestore();
  });
});
