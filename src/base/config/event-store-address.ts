import type { Credentials, EndPoint } from '@eventstore/db-client';
import { optionFaults } from './event-store-options.js';
import type { AddressOptions } from './event-store-options.js';
import { parserExpectation, parseAsClient } from './event-store-parser.js';

export interface EventStoreAddress {
  readonly hosts: readonly EndPoint[];
  readonly discovers: boolean;
  readonly credentials: Credentials | undefined;
  readonly options: AddressOptions;
}

/** Faults in EVENTSTORE_URL. They never quote the connection string, which may hold a password. */
export class AddressError extends Error {
  override readonly name = 'AddressError';

  constructor(readonly faults: readonly string[]) {
    super(faults.map((fault) => `EVENTSTORE_URL: ${fault}`).join('\n'));
  }
}

const scheme = /^(?:esdb|kurrentdb|kurrent|kdb)(\+discover)?:\/\//;
const host = /^[^\s:/@]+(?::\d+)?$/;
const LARGEST_PORT = 65_535;
const PAIR =
  'user and password must be written user:password@, or user@ with the password in the file that EVENTSTORE_PASSWORD_FILE names';
const ENCODE = 'in a user or password write : as %3A, / as %2F, ? as %3F, @ as %40 and % as %25';

export function parseEventStoreAddress(given: string): EventStoreAddress {
  const text = given.trim();
  const [prefix, discover] = scheme.exec(text) ?? [];
  if (prefix === undefined)
    throw new AddressError([
      'must start with esdb:// or kurrentdb://, or with esdb+discover:// or kurrentdb+discover://',
    ]);
  const [authority = '', ...rest] = text.slice(prefix.length).split('?');
  const query = rest.join('?');
  const at = authority.lastIndexOf('@');
  const hosts = authority.slice(at + 1).replace(/\/+$/, '');
  const credentials = at === -1 ? undefined : credentialsIn(authority.slice(0, at));
  const faults = [
    ...(typeof credentials === 'string' ? [credentials] : []),
    ...hostFaults(hosts),
    ...optionFaults(query),
  ];
  if (faults.length > 0 || typeof credentials === 'string') throw new AddressError(faults);
  const { hosts: endpoints, dnsDiscover: _, ...options } = parseAsClient(hosts, query);
  return { hosts: endpoints, discovers: discover !== undefined, credentials, options };
}

function credentialsIn(userInfo: string): Credentials | string {
  const [username = '', password = '', ...more] = userInfo.split(':');
  if (username === '' || password === '') return PAIR;
  if (more.length > 0 || userInfo.includes('@')) return `the password has an unencoded : or @; ${ENCODE}`;
  try {
    return { username: decodeURIComponent(username), password: decodeURIComponent(password) };
  } catch {
    return `user or password has a % that begins no encoded character; ${ENCODE}`;
  }
}

function hostFaults(hosts: string): readonly string[] {
  if (hosts === '') return ['must name a host'];
  const fault = [`hosts must be written name or name:port, separated by commas; ${ENCODE}`];
  if (!hosts.split(',').every((each) => host.test(each))) return fault;
  try {
    const { hosts: parsed } = parseAsClient(hosts, '');
    return parsed.every(({ port }) => port > 0 && port <= LARGEST_PORT)
      ? []
      : ['a port must be from 1 to 65535'];
  } catch (error) {
    if (parserExpectation(error) === undefined) throw error;
    return fault;
  }
}
