/** A cell with a text that others chose: a spreadsheet must not run it as a formula. */
export interface FreeText {
  readonly free: string;
}

export type CsvCell = string | number | FreeText | null | undefined;

export function csvLine(cells: readonly CsvCell[]): string {
  return `${cells.map((cell) => quoted(plain(cell))).join(',')}\r\n`;
}

function plain(cell: CsvCell): string {
  if (cell === null || cell === undefined) return '';
  if (typeof cell !== 'object') return String(cell);
  return /^[=+\-@\t\r]/.test(cell.free) ? `'${cell.free}` : cell.free;
}

const quoted = (text: string): string => (/[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);
