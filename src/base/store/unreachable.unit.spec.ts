import { describe, expect, it } from '@jest/globals';
import { isUnreachable } from './unreachable.js';

const coded = (code: string) => Object.assign(new Error('x'), { code });

describe('a store', () => {
  it.each([
    ['a refused connection', coded('ECONNREFUSED')],
    ['a server that shuts down', coded('57P01')],
    ['a session that idled too long', coded('57P05')],
    ['a statement that took too long', coded('57014')],
    ['a transaction that idled too long', coded('25P03')],
    ['a standby server', coded('25006')],
    ['a missing socket', Object.assign(coded('ENOENT'), { syscall: 'connect' })],
    ['too many connections', coded('53300')],
    ['a database that was dropped', coded('57P04')],
    ['a missing database', coded('3D000')],
    ['a database without connections', coded('55000')],
    ['a changed password', coded('28P01')],
    ['a connection that was not made in time', new Error('timeout expired')],
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
    ['a missing file', Object.assign(coded('ENOENT'), { syscall: 'open' })],
    ['a wrong statement', coded('42601')],
    ['nothing', undefined],
    ['a word', 'ECONNREFUSED'],
  ])('is not unreachable after %s', (_what, error) => {
    expect(isUnreachable(error)).toBe(false);
  });
});
