/** Divides the published document into parts that can each hold or fail alone. */

/** `columns`: the header row of a table. `row`: any other row, with cells joined by ` | `. */
export type Kind = 'heading' | 'columns' | 'row' | 'sentence';

export interface Part {
  readonly kind: Kind;
  /** Word for word, without list and table marks. A heading keeps its `#`. */
  readonly text: string;
}

/** The parts of a Markdown page, in order. Only blank lines and table rules are left out. */
export function partsOf(markdown: string): Part[] {
  const lines = markdown.split('\n');
  return lines.flatMap((line, at): Part[] => {
    if (line.trim() === '' || isRule(line)) return [];
    if (/^#+ /.test(line)) return [{ kind: 'heading', text: line }];
    if (line.startsWith('|'))
      return [{ kind: isRule(lines[at + 1] ?? '') ? 'columns' : 'row', text: cellsOf(line) }];
    const text = line.replace(/^\s*(?:-|\d+\.) /, '').trim();
    return sentencesIn(text).map((sentence) => ({ kind: 'sentence', text: sentence }));
  });
}

const isRule = (line: string): boolean => /^\|(?: *:?-+:? *\|)+$/.test(line);

const cellsOf = (line: string): string =>
  line
    .split('|')
    .slice(1, -1)
    .map((cell) => cell.trim())
    .join(' | ');

/** A sentence ends at a full stop before a capital letter or a name in backticks, outside of backticks and brackets. */
function sentencesIn(text: string): string[] {
  const sentences: string[] = [];
  let [start, depth, isCode] = [0, 0, false];
  for (let at = 0; at < text.length; at++) {
    const character = text.charAt(at);
    if (character === '`') isCode = !isCode;
    else if (isCode) continue;
    else if ('([{'.includes(character)) depth++;
    else if (')]}'.includes(character)) depth--;
    else if (character === '.' && depth === 0 && /^ [A-Z`]/.test(text.slice(at + 1, at + 3))) {
      sentences.push(text.slice(start, at + 1));
      start = at + 2;
    }
  }
  return [...sentences, text.slice(start)];
}
