/** Headings of Markdown files, and the anchors that GitHub gives them. */
import { readFileSync } from 'node:fs';

const files = new Map();

/** @returns {readonly string[]} The texts of all headings, without markup. */
export function headingsOf(file) {
  if (!files.has(file)) files.set(file, readHeadings(readFileSync(file, 'utf8')));
  return files.get(file);
}

/** A repeated heading's anchor ends with its number, from 1. */
export function anchorsOf(file) {
  const times = new Map();
  return headingsOf(file).map((heading) => {
    const anchor = heading
      .toLowerCase()
      .replace(/[^\p{L}\p{N}\s_-]/gu, '')
      .replaceAll(/\s/g, '-');
    const before = times.get(anchor) ?? 0;
    times.set(anchor, before + 1);
    return before === 0 ? anchor : `${anchor}-${before}`;
  });
}

function readHeadings(text) {
  const withoutCode = text.replaceAll(/^(```|~~~)[\s\S]*?^\1/gm, '');
  return [...withoutCode.matchAll(/^#{1,6} +(.+?) *#*$/gm)].map(([, heading]) =>
    heading.replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1').replaceAll('`', ''),
  );
}
