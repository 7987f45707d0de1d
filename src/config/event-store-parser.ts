import { createRequire } from 'node:module';
import type * as Parser from '@eventstore/db-client/dist/Client/parseConnectionString.js';

export type ParsedAddress = Omit<Parser.ConnectionOptions, 'defaultCredentials'>;

/**
 * Hosts and options as the client itself reads them. It prints the whole string where it does not know an option, and its
 * errors quote it: it is given no user and password, and must be given no option whose name was not checked. Loads it at
 * the first call, which takes longer than most commands that only read the configuration. Throws what it throws.
 */
export function parseAsClient(hosts: string, query: string): ParsedAddress {
  const { parseConnectionString } = createRequire(import.meta.url)(
    '@eventstore/db-client/dist/Client/parseConnectionString.js',
  ) as typeof Parser;
  // Without a user it would take what is in front of an @ in an option for one.
  const url = `esdb://none:none@${hosts}${query && `?${query}`}`;
  const { defaultCredentials: _, ...parsed } = parseConnectionString(url);
  return parsed;
}

/** What the parser wanted in place of what it found: its message would quote that. Undefined: the error is another's. */
export function expectedBy(error: unknown): string | undefined {
  const { expected } = error as { readonly expected?: unknown };
  return typeof expected === 'string' ? expected : undefined;
}
