import { describe, expect, it } from '@jest/globals';
import { isUnreachable } from './unreachable.js';

const coded = (code: string) => Object.assign(new Error('x'), { code });

describe('a store', () => {
  it.each([
    ['a refused connection', coded('ECONNREFUSED')],
    ['a server that shuts down', coded('57P01')],
    ['too many connections', coded('53300')],
    ['a broken connection', new Error('Connection terminated unexpectedly')],
    [
      'a cause further down',
      new Error('x', { cause: Object.assign(new Error('y'), { driverError: coded('08006') }) }),
    ],
    ['all addresses of a name', Object.assign(new Error(''), { errors: [coded('ECONNREFUSED')] })],
  ])('is unreachable after %s', (_what, error) => {
    expect(isUnreachable(error)).toBe(true);
  });

  it.each([
    ['a violated constraint', coded('23505')],
    ['a statement that is wrong', coded('42601')],
    ['nothing', undefined],
    ['a word', 'ECONNREFUSED'],
  ])('is not, after %s', (_what, error) => {
    expect(isUnreachable(error)).toBe(false);
  });
});
