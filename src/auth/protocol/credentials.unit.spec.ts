import { describe, expect, it } from '@jest/globals';
import { basicCredentials, isBearer } from './credentials.js';

const basic = (text: string, scheme = 'Basic') => `${scheme} ${Buffer.from(text).toString('base64')}`;

describe('the credentials of an application', () => {
  it.each([
    [basic('app:secret'), 'app', 'secret'],
    [basic('app:se:cret', 'basic'), 'app', 'se:cret'],
    [basic('a%3Ab:c+d%2B'), 'a:b', 'c d+'],
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
    `${basic('app:secret')} more`,
    `${basic('app:secret')}, ${basic('app:secret')}`,
  ])('are not %j', (header) => {
    expect(basicCredentials(header)).toBeUndefined();
  });
});

describe('an access token', () => {
  it.each([
    ['Bearer abc', true],
    ['bearer a-b.c_d~e+f/g==', true],
    ['Bearer', false],
    ['Bearer a b', false],
    ['Basic abc', false],
    ['Bearer a, Bearer b', false],
  ])('%j: %s', (header, expected) => {
    expect(isBearer(header)).toBe(expected);
  });
});
