import { expect, it } from '@jest/globals';
import { localUrl } from './local-url.js';

it.each([
  ['127.0.0.1', 'http://127.0.0.1:3000'],
  ['192.0.2.7', 'http://192.0.2.7:3000'],
  ['0.0.0.0', 'http://127.0.0.1:3000'],
  ['::', 'http://[::1]:3000'],
  ['::1', 'http://[::1]:3000'],
  ['plaza.internal', 'http://plaza.internal:3000'],
])('a process that listens on %s is reached at %s', (host, url) => {
  expect(localUrl(host, 3000)).toBe(url);
});
