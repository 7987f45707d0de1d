/** Comments of TypeScript sources; adjacent `//` lines count as one. */
import ts from 'typescript';

/** @returns {{ line: number, text: string }[]} Each block's first line, from 1, and its text without comment signs. */
export function commentsOf(source) {
  const file = ts.createSourceFile('a.ts', source, ts.ScriptTarget.Latest, false);
  const lineOf = (position) => file.getLineAndCharacterOfPosition(position).line + 1;
  const blocks = [];
  for (const { pos, end, kind } of rangesIn(file, source)) {
    const text = source.slice(pos, end);
    const [line, lastLine] = [lineOf(pos), lineOf(end)];
    const before = blocks.at(-1);
    const isSingle = kind === ts.SyntaxKind.SingleLineCommentTrivia;
    if (isSingle && before?.isSingle && before.lastLine === line - 1) {
      before.text += ` ${wordsOf(text)}`;
      before.lastLine = lastLine;
    } else blocks.push({ line, lastLine, isSingle, text: wordsOf(text) });
  }
  return blocks.map(({ line, text }) => ({ line, text }));
}

function rangesIn(file, source) {
  const ranges = new Map();
  const visit = (node) => {
    for (const range of ts.getLeadingCommentRanges(source, node.pos) ?? []) ranges.set(range.pos, range);
    for (const range of ts.getTrailingCommentRanges(source, node.end) ?? []) ranges.set(range.pos, range);
    node.getChildren(file).forEach(visit);
  };
  visit(file);
  return [...ranges.values()].sort((a, b) => a.pos - b.pos);
}

const wordsOf = (comment) =>
  comment
    .replace(/^\/\*+|\*+\/$|^\/\//g, '')
    .split('\n')
    .map((line) => line.replace(/^\s*\*+\s?/, '').trim())
    .join(' ')
    .trim();
