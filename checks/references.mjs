/**
 * Names each reference in a comment or document that does not resolve: a file or folder of the repo, a heading
 * (docs/recovery.md, "The promise"), a link and its anchor, an ADR by its number, an npm script, a `{@link}`. Ends
 * with 1 if there is one.
 *
 * `node checks/references.mjs [FILE…]`: without files it reads the whole repo.
 */
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { posix } from 'node:path';
import { commentsOf } from './comments.mjs';
import { anchorsOf, headingsOf } from './headings.mjs';

const FILE =
  /(?<![\w./:@<>$*{}-])((?:\.{1,2}\/)*(?:[\w.-]+\/)*[\w.-]+\.(?:ts|mjs|cjs|md|sql|sh|ya?ml))\b(?![\w*/.-]*[\w*/])/g;
const FOLDER =
  /(?<![\w./:@$*{}-])((?:src|projections|test|docs|bench|chaos|client|examples|checks|bin|docker)(?:\/[\w.-]+)*)\/(?![\w.*{<$])/g;
const HEADING = /([\w./-]+\.md)`?,? \(?"([^"]+)"/g;
const ADR = /(?:\bADR |docs\/adr\/)(\d{1,4})\b(?!-)/g;
const SCRIPT = /\bnpm run ([a-z][\w:]*)/g;
const MARKDOWN_LINK = /\]\(([^)\s]+)\)/g;
const CODE_LINK = /\{@link (\w+)/g;
const EXPORT = /^export (?:abstract |async )*(?:class|interface|type|const|let|function\*?) (\w+)/gm;
/** Files that a reader makes. */
const ELSEWHERE = new Set([
  'docker-compose.override.yml',
  './node-1.sh',
  './node-2.sh',
  './node-3.sh',
  'views.sql',
  'DIR/views.sql',
  'database.sql',
]);
/** Capitals stand for any name, as in `projections/NAME/NAME.projection.ts`. */
const PLACEHOLDER = /\b[A-Z]{3,}\b/g;

const tracked = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard'], {
  encoding: 'utf8',
})
  .split('\n')
  .filter((file) => file !== '' && existsSync(file));
const folders = new Set(tracked.flatMap((file) => foldersAbove(file)));
const exported = new Set(
  tracked
    .filter((file) => file.endsWith('.ts'))
    .flatMap((file) => [...readFileSync(file, 'utf8').matchAll(EXPORT)].map(([, name]) => name)),
);
const scripts = Object.keys(JSON.parse(readFileSync('package.json', 'utf8')).scripts);

function faultsIn(text, file, source) {
  const faults = [];
  const check = (pattern, fault, resolves) => {
    for (const [reference, ...groups] of text.matchAll(pattern))
      if (!resolves(...groups)) faults.push([reference, fault]);
  };
  check(FILE, 'no such file', (path) => ELSEWHERE.has(path) || resolve(file, path) !== undefined);
  check(FOLDER, 'no such folder', (path) => isFolder(path));
  check(HEADING, 'no such heading', (path, heading) => hasHeading(resolve(file, path), heading));
  check(ADR, 'no such ADR', (number) => hasAdr(number));
  check(SCRIPT, 'no such script in package.json', (name) => scripts.includes(name));
  if (file.endsWith('.md')) check(MARKDOWN_LINK, 'no such target', (target) => hasTarget(file, target));
  else check(CODE_LINK, 'no such name', (name) => exported.has(name) || isNamed(source, name));
  return faults;
}

/** The network's published document is quoted here, and the client is generated. */
function isRead(file) {
  if (['docs/network-api.md', 'client/schema.d.ts'].includes(file) || file.startsWith('test/fixtures/8'))
    return false;
  return /\.(ts|mjs|cjs|md|ya?ml|sh|sql)$|(^|\/)(Dockerfile|run)$/.test(file);
}

/** @returns {{ line: number, text: string }[]} Comments of sources; of other files, each line. */
function textsOf(file, source) {
  if (/\.(ts|mjs|cjs)$/.test(file)) return commentsOf(source);
  const lines = source.split('\n').map((text, index) => ({ line: index + 1, text }));
  return file.endsWith('.md') ? lines : lines.filter(({ text }) => /^\s*(#|--)/.test(text));
}

/** Finds a path from the root, from the file, or by its last parts. */
function resolve(file, path) {
  const candidates = [posix.normalize(path), posix.join(posix.dirname(file), path)];
  const ending = new RegExp(`(^|/)${pattern(path.replace(/^(\.{1,2}\/)+/, ''))}$`);
  return candidates.find((each) => tracked.includes(each)) ?? tracked.find((each) => ending.test(each));
}

const pattern = (path) => path.replaceAll(/[.\\+]/g, '\\$&').replaceAll(PLACEHOLDER, '[^/]+');

function isFolder(path) {
  if (folders.has(path)) return true;
  const whole = new RegExp(`^${pattern(path)}$`);
  return [...folders].some((folder) => whole.test(folder));
}

function foldersAbove(file) {
  const parts = posix.dirname(file).split('/');
  return parts.map((_part, index) => parts.slice(0, index + 1).join('/'));
}

/** A long heading may be shortened to its first words. */
function hasHeading(file, heading) {
  if (file === undefined) return true;
  return headingsOf(file).some((each) => each === heading || each.startsWith(`${heading} `));
}

const hasAdr = (number) => tracked.some((file) => file.startsWith(`docs/adr/${number.padStart(4, '0')}-`));

function hasTarget(file, target) {
  if (/^[a-z]+:/.test(target)) return true;
  const [path, anchor] = target.split('#');
  const linked = path === '' ? file : posix.join(posix.dirname(file), path);
  if (!tracked.includes(linked) && !isFolder(linked.replace(/\/$/, ''))) return false;
  return anchor === undefined || (linked.endsWith('.md') && anchorsOf(linked).includes(anchor));
}

const isNamed = (source, name) => new RegExp(`\\b${name}\\b`).test(source.replaceAll(/\{@link [^}]*\}/g, ''));

const given = process.argv.slice(2);
let count = 0;
for (const file of given.length > 0 ? given : tracked.filter(isRead)) {
  const source = readFileSync(file, 'utf8');
  for (const { line, text } of textsOf(file, source))
    for (const [reference, fault] of faultsIn(text, file, source)) {
      count += 1;
      console.log(`${file}:${line} ${reference}: ${fault}`);
    }
}
if (count > 0) process.exitCode = 1;
