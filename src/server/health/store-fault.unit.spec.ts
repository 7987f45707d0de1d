import { expect, it } from '@jest/globals';
import { DeadlineExceeded, LeaderNotFound } from '../../log/client-errors.js';
import { storeFault } from './store-fault.js';

const coded = (code: string, message = 'secret.example:5432') => Object.assign(new Error(message), { code });

it.each([
  ['Its host name does not resolve.', coded('ENOTFOUND')],
  ['Nothing listens at its address.', new AggregateError([coded('ECONNREFUSED'), coded('ECONNREFUSED')])],
  ['No route leads to its address.', new Error('away', { cause: coded('EHOSTUNREACH') })],
  ['It rejects the user or the password.', coded('28P01')],
  ['It has no database of the configured name.', coded('3D000')],
  ['It has no free connection.', coded('53300')],
  ['It is starting or stopping.', coded('57P03')],
  [
    'It does not answer in time.',
    new Error('Connection terminated due to connection timeout', {
      cause: new Error('Connection terminated unexpectedly'),
    }),
  ],
  ['It does not answer in time.', new DeadlineExceeded('No answer within 1500 ms.')],
  ['The connection to it was lost.', new Error('Connection terminated unexpectedly')],
  [
    'The nodes of the event store agree on no leader.',
    new DeadlineExceeded('No answer within 5 ms.', {
      cause: new LeaderNotFound('The nodes of the event store agree on no leader.'),
    }),
  ],
])('%s', (sentence, error) => {
  expect(storeFault(error)).toBe(sentence);
});

it.each([coded('42P01', 'relation "secret" does not exist'), new TypeError('secret'), 'secret', undefined])(
  'publishes nothing of another error: %s',
  (error) => {
    expect(storeFault(error)).toBeUndefined();
  },
);
