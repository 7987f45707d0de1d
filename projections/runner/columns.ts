/** Rows as JSON with an array for each column. One object for each row costs Postgres five times as much. */
export type Columns<Row> = { readonly [Name in keyof Row]: readonly Row[Name][] | null };

/** SQL of the aggregated rows as {@link Columns}. `columns`: an expression for each; `order`: what follows ORDER BY. */
export function columnsJson(columns: Readonly<Record<string, string>>, order: string): string {
  const arrays = Object.entries(columns).map(
    ([name, sql]) => `'${name}', array_agg(${sql} ORDER BY ${order})`,
  );
  return `json_build_object(${arrays.join(', ')})`;
}

/** SQL of one row as a JSON object. */
export const objectJson = (columns: Readonly<Record<string, string>>): string =>
  `json_build_object(${Object.entries(columns)
    .map(([name, sql]) => `'${name}', ${sql}`)
    .join(', ')})`;

// Assigns by name in a fixed order: building rows from entries took most of a page's time in this process.
export function rowsOf<Row>(columns: Columns<Row>): readonly Row[] {
  const names = Object.keys(columns) as (keyof Row)[];
  const [first] = names;
  const count = first === undefined ? 0 : (columns[first]?.length ?? 0);
  return Array.from({ length: count }, (_, index) => {
    const row: Partial<Record<keyof Row, unknown>> = {};
    for (const name of names) row[name] = columns[name]?.[index];
    return row as Row;
  });
}
