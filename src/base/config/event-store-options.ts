import { parserExpectation, parseAsClient } from './event-store-parser.js';
import type { ParsedAddress } from './event-store-parser.js';
import { mostSimilarName } from './nearest-name.js';

export type AddressOptions = Omit<ParsedAddress, 'hosts' | 'dnsDiscover'>;

/** Every connection option of the EventStoreDB client; a new one of the client is a compile error here. */
const names = Object.keys({
  userCertFile: true,
  userKeyFile: true,
  maxDiscoverAttempts: true,
  connectionName: true,
  defaultDeadline: true,
  discoveryInterval: true,
  gossipTimeout: true,
  nodePreference: true,
  tls: true,
  tlsVerifyCert: true,
  tlsCAFile: true,
  throwOnAppendFailure: true,
  keepAliveInterval: true,
  keepAliveTimeout: true,
} satisfies Record<keyof AddressOptions, true>) as (keyof AddressOptions)[];

const refused: { readonly [Name in keyof AddressOptions]?: Readonly<Record<string, string>> } = {
  tlsVerifyCert: {
    false: 'certificates are always verified; leave it out, and name the CA with tlsCAFile',
  },
  throwOnAppendFailure: { false: 'refused appends must be errors; leave it out' },
};

const LONGEST_MS = 60 * 60_000;
/**
 * Bounds of numeric options where they are not 1 to {@link LONGEST_MS}. `maxDiscoverAttempts` is a number,
 * `gossipTimeout` in seconds, the others in milliseconds; -1 disables keepalive.
 */
const bounds: { readonly [Name in keyof AddressOptions]?: { least?: number; most?: number } } = {
  maxDiscoverAttempts: { most: Number.MAX_SAFE_INTEGER },
  discoveryInterval: { most: 60_000 },
  gossipTimeout: { most: 60 },
  keepAliveInterval: { least: -1 },
  keepAliveTimeout: { least: -1 },
};

export function optionFaults(query: string): readonly string[] {
  if (query === '') return [];
  // Behind an unencoded ? in a password, an option's name may be a piece of the password.
  const isQuotable = !query.includes('@');
  return query.split('&').flatMap((option) => faultOf(option, isQuotable) ?? []);
}

function faultOf(option: string, isQuotable: boolean): string | undefined {
  const [given = '', ...rest] = option.split('=');
  const value = rest.join('=').trim();
  const name = names.find((known) => normalized(known) === normalized(given));
  if (name === undefined) return unknown(given.trim(), isQuotable);
  if (value === '') return `the option ${name} has no value`;
  const reason = refused[name]?.[value];
  if (reason !== undefined) return `the option ${name} cannot be ${value}: ${reason}`;
  try {
    const read = parseAsClient('host', `${name}=${value}`)[name];
    if (typeof read !== 'number') return undefined;
    // The client reads "2s" as 2 milliseconds.
    if (String(read) !== value) return `the option ${name} must be a whole number`;
    const { least = 1, most = LONGEST_MS } = bounds[name] ?? {};
    return read >= least && read <= most ? undefined : `the option ${name} must be from ${least} to ${most}`;
  } catch (error) {
    if (error instanceof URIError)
      return `the option ${name} has a % that begins no encoded character: write it as %25`;
    if (value.includes('?')) return `the option ${name} has a ? in its value: write it as %3F`;
    const expected = parserExpectation(error);
    if (expected === undefined) throw error;
    return `the option ${name} must be ${expected === 'Integer' ? 'a whole number' : expected}`;
  }
}

const normalized = (name: string): string => name.trim().toLowerCase().replaceAll(/[_-]/g, '');

function unknown(given: string, isQuotable: boolean): string {
  if (!isQuotable || !/^[A-Za-z_-]{1,32}$/.test(given))
    return 'there is an option that does not exist; options are written name=value, separated by &';
  const suggestion = mostSimilarName(given, names);
  return `there is no option ${given}${suggestion === undefined ? '' : `; did you mean ${suggestion}?`}`;
}
