import { expect, it, jest } from '@jest/globals';
import { AddressError, parseEventStoreAddress } from './event-store-address.js';

const faultsOf = (url: string): readonly string[] => {
  try {
    parseEventStoreAddress(url);
  } catch (error) {
    if (error instanceof AddressError) return error.faults;
    throw error;
  }
  return [];
};
const at = (address: string, port = 2113) => ({ address, port });

it('accepts several hosts', () => {
  const { hosts, discovers } = parseEventStoreAddress('esdb://one:2111,two,three:2113?tls=false');
  expect([hosts, discovers]).toEqual([[at('one', 2111), at('two'), at('three')], false]);
});

it.each([
  ['esdb', false],
  ['kurrentdb', false],
  ['kurrent', false],
  ['kdb', false],
  ['esdb+discover', true],
  ['kurrentdb+discover', true],
  ['kurrent+discover', true],
  ['kdb+discover', true],
])('accepts the scheme %s', (scheme, discovers) => {
  expect(parseEventStoreAddress(`${scheme}://cluster?tls=false`)).toMatchObject({
    hosts: [at('cluster')],
    discovers,
    options: { tls: false },
  });
});

it.each([
  ['a/b+c=', 'a/b+c='],
  ['a%2Fb%3Ac%40d%3Fe%25', 'a/b:c@d?e%'],
  ['#;,$&', '#;,$&'],
])('reads the password %s as %s', (written, password) => {
  const { credentials, hosts } = parseEventStoreAddress(`esdb://ann:${written}@db`);
  expect([credentials, hosts]).toEqual([{ username: 'ann', password }, [at('db')]]);
});

it('accepts a slash after the hosts, and an @ in a file path', () => {
  const { hosts, credentials, options } = parseEventStoreAddress('esdb://db:2113/?tls-ca-file=/x:y@z.pem');
  expect([hosts, credentials, options]).toEqual([[at('db')], undefined, { tlsCAFile: '/x:y@z.pem' }]);
});

it.each(['ann:sec:ret', 'ann:sec@ret', 'sec%ret:x', 'ann:sec%ret', 'secret', 'secret:', ':secret'])(
  'reports invalid user and password, without quoting them: %s',
  (userInfo) => {
    const faults = faultsOf(`esdb://${userInfo}@db:2113`);
    expect(faults).toHaveLength(1);
    expect(faults[0]).toMatch(/user|password/);
    expect(faults[0]).not.toMatch(/sec|ret|ann/);
  },
);

it.each(['', ':2113', 'secret:port', 'secret:1:2', 'secret|', 'db,,secret', 'db:0', 'db:65536', 'db secret'])(
  'reports invalid hosts, without quoting them: %s',
  (hosts) => {
    const faults = faultsOf(`esdb://${hosts}`);
    expect(faults).toEqual([expect.stringMatching(/host|port/)]);
    expect(faults[0]).not.toContain('secret');
  },
);

it('names an unknown option, and the similar one that exists', () => {
  expect(faultsOf('esdb://ann:secret@db?tlsVerfyCert=true&nodepreference=leader&tlss=true')).toEqual([
    'there is no option tlsVerfyCert; did you mean tlsVerifyCert?',
    'there is no option tlss; did you mean tls?',
  ]);
  expect(faultsOf('esdb://db?somethingElse=secret')).toEqual(['there is no option somethingElse']);
});

it('quotes no option that may be part of a password', () => {
  for (const url of ['esdb://ann:1234?secret=x@db', 'esdb://ann:sec?ret@db', 'esdb://db?se.cret'])
    expect(faultsOf(url).join()).not.toMatch(/sec|ret/);
});

it.each([
  ['tls=secret', 'the option tls must be true or false'],
  ['tls', 'the option tls has no value'],
  ['defaultDeadline=2s', 'the option defaultDeadline must be a whole number'],
  ['gossipTimeout=secret', 'the option gossipTimeout must be a whole number'],
  ['tlsCAFile=%secret', 'the option tlsCAFile has a % that begins no encoded character: write it as %25'],
  ['connectionName=a?secret', 'the option connectionName has a ? in its value: write it as %3F'],
])('reports an invalid option: %s', (option, fault) => {
  expect(faultsOf(`esdb://db?${option}`)).toEqual([fault]);
});

it.each(['tlsVerifyCert=false', 'throwOnAppendFailure=false'])(
  'rejects unsupported options: %s',
  (option) => {
    expect(faultsOf(`esdb://db?${option}`)).toEqual([
      expect.stringMatching(/cannot be false: .*leave it out/),
    ]);
  },
);

it.each(['', 'db:2113', 'http://secret', 'esdb:/secret', 'postgres://secret'])(
  'names the supported schemes: %s',
  (url) => {
    expect(faultsOf(url)).toEqual([expect.stringMatching(/^must start with esdb:\/\/ or kurrentdb:\/\//)]);
  },
);

it('prints nothing, whatever is wrong', () => {
  const printed = jest.spyOn(console, 'warn');
  try {
    for (const option of [
      'tlsVerfyCert=true',
      'tlsVerifyCert=false',
      'tlsVerifyCert=true',
      'dnsDiscover=true',
    ])
      faultsOf(`esdb://ann:secret@db?${option}`);
    expect(printed).not.toHaveBeenCalled();
  } finally {
    printed.mockRestore();
  }
});
