import { expect, it } from '@jest/globals';
import { assertStorable } from './codec.js';

it.each(['a\0b', 'a\uD800b'])('a text that Postgres cannot store is refused wherever it is: %j', (text) => {
  expect(() => assertStorable({ names: ['a', { name: text }] })).toThrow('without null characters');
  expect(() => assertStorable({ names: ['a\nb', { name: '🦆' }], count: 1, at: null })).not.toThrow();
});
