import type { AssembledRead } from './reads.js';

/** Placeholder for the name of an incarnation, which `npx plaza projections status` prints. */
const UNKNOWN_INCARNATION = 'INCARNATION';

/**
 * Returns a script for psql that prepares the read, executes it and prints its plan. Its parameters stand at the end,
 * each with its meaning.
 */
export function explainScript(
  { purpose, queryName, text, parameters }: AssembledRead,
  incarnation = UNKNOWN_INCARNATION,
): string {
  const values = parameters(incarnation);
  const lines = values.map(({ value, meaning }, index) => {
    const comma = index < values.length - 1 ? ',' : '';
    return `  ${literal(value)}${comma} -- $${index + 1} ${meaning}`;
  });
  return [
    `-- ${purpose}: ${queryName}`,
    'PREPARE read AS',
    `${text(`inc_${incarnation}`).trim()};`,
    'EXPLAIN (ANALYZE, BUFFERS) EXECUTE read(',
    ...lines,
    ');',
    '',
  ].join('\n');
}

function literal(value: unknown): string {
  if (value === null || value === undefined) return 'NULL';
  if (typeof value === 'number') return String(value);
  const text = Array.isArray(value)
    ? `{${value.map((each) => String(each ?? 'NULL')).join(',')}}`
    : `${value as string | bigint | boolean}`;
  return `'${text.replaceAll("'", "''")}'`;
}
