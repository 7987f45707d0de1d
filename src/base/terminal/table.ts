import { plainText } from '../support/plain-text.js';

type Cell = string | readonly string[];

/**
 * Returns the lines of a table. Long texts that others chose belong into the last column: only there no width is needed, and
 * terminals draw some characters in another width than {@link columnsOf}.
 */
export function tableLines(headings: readonly string[], rows: readonly (readonly Cell[])[]): string[] {
  const lines = [headings, ...rows.flatMap(linesOfRow)];
  const widths = headings.map((_, column) => Math.max(...lines.map((line) => columnsOf(line[column] ?? ''))));
  return lines.map((line) =>
    line
      .map((text, column) => text + ' '.repeat((widths[column] ?? 0) - columnsOf(text)))
      .join('  ')
      .trimEnd(),
  );
}

function linesOfRow(row: readonly Cell[]): string[][] {
  const cells = row.map((cell) => (typeof cell === 'string' ? [cell] : cell));
  const height = Math.max(...cells.map(({ length }) => length));
  return Array.from({ length: height }, (_, at) => cells.map((cell) => cell[at] ?? ''));
}

/** Characters that terminals draw in two columns: of East Asia, and emoji. */
const WIDE =
  /[\p{Script=Han}\p{Script=Hangul}\p{Script=Hiragana}\p{Script=Katakana}\p{Emoji_Presentation}\u3000-\u303E\uFF01-\uFF60\uFFE0-\uFFE6]/u;
const MARK = /[\p{Mn}\p{Me}]/u;

/** Columns of a terminal that a text takes once it is printed as {@link plainText}. */
export const columnsOf = (text: string): number =>
  Array.from(plainText(text)).reduce((columns, each) => columns + widthOf(each), 0);

const widthOf = (character: string): number => (MARK.test(character) ? 0 : WIDE.test(character) ? 2 : 1);

/** The text on one line of at most so many columns. A quotation ends with its mark. */
export function shortenedTo(most: number, text: string): string {
  const line = text.replaceAll(/\s+/g, ' ');
  if (columnsOf(line) <= most) return line;
  const closing = line.endsWith('”') ? '”' : '';
  let [shown, columns] = ['', 1 + closing.length];
  for (const each of line) {
    columns += columnsOf(each);
    if (columns > most) break;
    shown += each;
  }
  return `${shown.trimEnd()}…${closing}`;
}
