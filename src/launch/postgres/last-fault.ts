/**
 * Returns the last error in the output of Postgres or initdb. Lines with a statement are left out, since it may hold
 * a password.
 */
export function lastErrorLine(output: string): string {
  const lines = output
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '' && !/\b(?:STATEMENT|QUERY|CONTEXT):/.test(line));
  const fault = lines.findLast((line) => /\b(?:FATAL|ERROR|PANIC):|\berror:/.test(line));
  return fault ?? lines.at(-1) ?? 'it ended without a message';
}
