/** A time as a timestamp of UTC, in whatever time zone the session is. */
export const utc = (column: string): string => `make_timestamp(epoch_us(${column}))`;

export const quoted = (text: string) => `'${text.replaceAll("'", "''")}'`;

export const named = (name: string) => `"${name}"`;
