/**
 * Why Postgres or initdb failed, out of all that it said: the last line that is a fault. Never a line that repeats a
 * statement, which may hold a password.
 */
export function lastFault(said: string): string {
  const lines = said
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '' && !/\b(?:STATEMENT|QUERY|CONTEXT):/.test(line));
  const fault = lines.findLast((line) => /\b(?:FATAL|ERROR|PANIC):|\berror:/.test(line));
  return fault ?? lines.at(-1) ?? 'it ended without a word';
}
