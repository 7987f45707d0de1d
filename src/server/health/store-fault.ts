import { LeaderNotFound } from '../../log/client-errors.js';

/** Read in their order, since a timeout or a lost connection often has another of these as its cause. */
const sentences: readonly (readonly [RegExp, string])[] = [
  [/ENOTFOUND|EAI_AGAIN|Name resolution failed/, 'Its host name does not resolve.'],
  [/ECONNREFUSED/, 'Nothing listens at its address.'],
  [/EHOSTUNREACH|ENETUNREACH/, 'No route leads to its address.'],
  [/^28\w{3} /, 'It rejects the user or the password.'],
  [/^3D000 /, 'It has no database of the configured name.'],
  [/^53300 /, 'It has no free connection.'],
  [/^57P0[1-3] /, 'It is starting or stopping.'],
  [/timeout|ETIMEDOUT|^57014 |No answer within/, 'It does not answer in time.'],
  [/ECONNRESET|EPIPE|Connection terminated/, 'The connection to it was lost.'],
];

/**
 * Returns why a store cannot be used: one of a few sentences without names or addresses, because anybody reads `/readyz`.
 * Undefined: another error. Codes of Postgres: postgresql.org/docs/current/errcodes-appendix.html.
 */
export function storeFault(error: unknown): string | undefined {
  const chain = chainOf(error);
  const noLeader = chain.find((each) => each instanceof LeaderNotFound);
  if (noLeader) return noLeader.message;
  const texts = chain.map(({ code, message }) => `${String(code)} ${message}`);
  return sentences.find(([fault]) => texts.some((text) => fault.test(text)))?.[1];
}

/** The error, its causes, and the errors of an attempt at several addresses. */
function chainOf(error: unknown): readonly (Error & { readonly code?: unknown })[] {
  if (!(error instanceof Error)) return [];
  const { cause, errors = [] } = error as Error & { readonly errors?: readonly unknown[] };
  return [error, ...[cause, ...errors].flatMap(chainOf)];
}
