export interface ErrorDescription {
  readonly type: string;
  readonly message: string;
  readonly code?: unknown;
  readonly stack?: string;
  readonly cause?: ErrorDescription;
}

/**
 * Describes an error for the log. All properties but these are omitted: database errors carry the statement's
 * parameters and the failing row, with personal texts and credentials.
 */
export function describeError(error: unknown): ErrorDescription {
  if (typeof error !== 'object' || error === null) return { type: typeof error, message: String(error) };
  const { name, message, stack, code, cause } = error as Partial<Error> & { readonly code?: unknown };
  return {
    type: name ?? 'Error',
    message: String(message),
    ...(code !== undefined && { code }),
    ...(stack !== undefined && { stack }),
    ...(cause !== undefined && { cause: describeError(cause) }),
  };
}
