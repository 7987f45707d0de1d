/**
 * Counts comments. Names each comment that opens with a relative pronoun, and each comment or message with a word that the glossary forbids
 * (docs/glossary.md, "Words that are not used"). Exits with 1 for such a comment.
 *
 * `node checks/words.mjs [--count] [FOLDER…]`: `--count` prints the counts only.
 */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { commentsOf } from './comments.mjs';

const OPENING = /^(What|Who|Whether|How|Of|Why)\b/;

const given = process.argv.slice(2);
const folders = given.filter((each) => !each.startsWith('--'));
const files = execFileSync(
  'git',
  ['ls-files', ...(folders.length > 0 ? folders : ['src', 'projections', 'packages', 'examples'])],
  {
    encoding: 'utf8',
  },
)
  .split('\n')
  .filter((file) => /\.(ts|mjs|js|txt)$/.test(file) && !file.endsWith('.spec.ts'));

const forbidden = [
  ...readFileSync('docs/glossary.md', 'utf8')
    .split('## Words that are not used')[1]
    .matchAll(/^\| `([^`]+)` +\|/gm),
].map(([, phrase]) => new RegExp(`\\b${phrase}\\b`, 'i'));

/** Identifiers by words: `giveBack` is `give back`. Those of stored events and of answers stay. */
const wordsOf = (text) =>
  text
    .replaceAll(/\b(setBack|\w*[cC]arriedOut|carryOut)\b/g, '')
    .replaceAll(/([a-z])([A-Z])/g, (_, before, after) => `${before} ${after.toLowerCase()}`);

let lines = 0;
const all = [];
const wrong = [];
for (const file of files) {
  const source = readFileSync(file, 'utf8');
  lines += source.split('\n').length - 1;
  for (const comment of commentsOf(source)) all.push({ file, ...comment });
  // Whole lines: comments and messages. A phrase that a line break parts is found in its comment below.
  for (const [at, text] of source.split('\n').entries())
    if (forbidden.some((phrase) => phrase.test(text) || phrase.test(wordsOf(text))))
      wrong.push({ file, line: at + 1, text: text.trim() });
}
const opened = all.filter(({ text }) => OPENING.test(text));
wrong.push(...all.filter(({ text }) => forbidden.some((phrase) => phrase.test(text))));
const words = all.flatMap(({ text }) => text.split(/\s+/));
const what = words.filter((word) => /^what$/i.test(word)).length;
const perThousand = (count, of) => Math.round((count / Math.max(of, 1)) * 10_000) / 10;
const density = perThousand(all.length, lines);
console.log(
  `${lines} lines, ${all.length} comments: ${density} in 1,000 lines; ${opened.length} open with What, Who, Whether, How, Of or Why; "what" ${perThousand(what, words.length)} times in 1,000 words`,
);
if (!given.includes('--count')) {
  for (const { file, line, text } of new Set([...opened, ...wrong])) console.log(`${file}:${line} ${text}`);
  if (opened.length + wrong.length > 0) process.exitCode = 1;
}
