import { describe, expect, it } from '@jest/globals';
import { basicCredentials, bearerToken } from './credentials.js';

const basic = (text: string, scheme = 'Basic') => `${scheme} ${Buffer.from(text).toString('base64')}`;

describe('the credentials of an application', () => {
  it.each([
    [basic('app:secret'), 'app', 'secret'],
    [basic('app:se:cret', 'basic'), 'app', 'se:cret'],
    [basic('a%3Ab:c+d%2B'), 'a:b', 'c d+'],
    ['Basic YTpiYw==', 'a', 'bc'],
    ['Basic YTpiYw', 'a', 'bc'],
    ['Basic YTpiY2Q', 'a', 'bcd'],
  ])('are read from %j', (header, clientId, clientSecret) => {
    expect(basicCredentials(header)).toEqual({ clientId, clientSecret });
  });

  it.each([
    undefined,
    '',
    'Basic',
    'Basic !',
    'Bearer x',
    basic('app'),
    basic('app:'),
    basic(':secret'),
    basic('%:secret'),
    basic('%00:secret'),
    basic('caf%C3%A9:secret'),
    'Basic YTpi=',
    'Basic YTpi==',
    'Basic YTpiYw=',
    'Basic YTpiY2Q==',
    'Basic YTpiY',
    `${basic('app:secret')} more`,
    `${basic('app:secret')}, ${basic('app:secret')}`,
  ])('are not %j', (header) => {
    expect(basicCredentials(header)).toBeUndefined();
  });
});

describe('an access token', () => {
  it.each([
    ['Bearer abc', 'abc'],
    ['Bearer   abc', 'abc'],
    ['bearer a-b.c_d~e+f/g==', 'a-b.c_d~e+f/g=='],
    ['Bearer', undefined],
    ['Bearer a b', undefined],
    ['Basic abc', undefined],
    ['Bearer a, Bearer b', undefined],
  ])('of %j: %s', (header, expected) => {
    expect(bearerToken(header)).toBe(expected);
  });
});
