type Cell = string | readonly string[];

/**
 * Returns the lines of a table. Texts that others chose belong into the last column: only there no width is needed, and
 * nobody knows how wide a terminal draws them.
 */
export function tableLines(headings: readonly string[], rows: readonly (readonly Cell[])[]): string[] {
  const lines = [headings, ...rows.flatMap(linesOfRow)];
  const widths = headings.map((_, column) => Math.max(...lines.map((line) => line[column]?.length ?? 0)));
  return lines.map((line) =>
    line
      .map((text, column) => text.padEnd(widths[column] ?? 0))
      .join('  ')
      .trimEnd(),
  );
}

function linesOfRow(row: readonly Cell[]): string[][] {
  const cells = row.map((cell) => (typeof cell === 'string' ? [cell] : cell));
  const height = Math.max(...cells.map(({ length }) => length));
  return Array.from({ length: height }, (_, at) => cells.map((cell) => cell[at] ?? ''));
}
