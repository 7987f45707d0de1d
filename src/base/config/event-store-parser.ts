import { createRequire } from 'node:module';
import type * as Parser from '@eventstore/db-client/dist/Client/parseConnectionString.js';

export type ParsedAddress = Omit<Parser.ConnectionOptions, 'defaultCredentials'>;

/**
 * Parses hosts and options with the client's own parser. For an unknown option it prints the string, and its errors
 * quote the string: it gets no credentials, and must get no unchecked option name. It is loaded at the first call,
 * because loading takes longer than most commands. Throws the parser's errors.
 */
export function parseAsClient(hosts: string, query: string): ParsedAddress {
  const { parseConnectionString } = createRequire(import.meta.url)(
    '@eventstore/db-client/dist/Client/parseConnectionString.js',
  ) as typeof Parser;
  const url = `esdb://none:none@${hosts}${query && `?${query}`}`;
  const { defaultCredentials: _, ...parsed } = parseConnectionString(url);
  return parsed;
}

/**
 * @returns The kind of value that the parser expected, without its message, which quotes the input; undefined: the
 * error has another origin.
 */
export function parserExpectation(error: unknown): string | undefined {
  const { expected } = error as { readonly expected?: unknown };
  return typeof expected === 'string' ? expected : undefined;
}
