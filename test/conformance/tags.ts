/**
 * Finds the tags of tests: a title ends with the ids of the sentences that the test shows, as in `needs a token
 * [posts-scope, summary-posts]`.
 */
import { globSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';

const root = fileURLToPath(new URL('../..', import.meta.url));

/** A test or group whose title in the source ends with ids. */
export interface Tagged {
  /** From the root of the repository. */
  readonly file: string;
  /** Titles of its groups and its own, without ids. Placeholders of tables and templates are unchanged. */
  readonly titles: readonly string[];
  readonly ids: readonly string[];
}

/** Splits a title into text and ids. */
export function splitTitle(title: string): { readonly title: string; readonly ids: readonly string[] } {
  const [, bare = title, ids] = /^(.*) \[([\w-]+(?:, [\w-]+)*)\]$/s.exec(title) ?? [];
  return { title: bare, ids: ids?.split(', ') ?? [] };
}

export function taggedIn(file: string, text: string): Tagged[] {
  const found: Tagged[] = [];
  const visit = (node: ts.Node, around: readonly string[]): void => {
    const written = titleOf(node);
    if (written === undefined) return ts.forEachChild(node, (child) => visit(child, around));
    const { title, ids } = splitTitle(written);
    const titles = [...around, title];
    if (ids.length > 0) found.push({ file, titles, ids });
    ts.forEachChild(node, (child) => visit(child, titles));
  };
  visit(ts.createSourceFile(file, text, ts.ScriptTarget.Latest), []);
  return found;
}

/** The title of a call of `it`, `test`, `describe` or their variants; undefined: another call. */
function titleOf(node: ts.Node): string | undefined {
  if (!ts.isCallExpression(node) || !isTestFunction(node.expression)) return undefined;
  const [title] = node.arguments;
  if (title && ts.isStringLiteralLike(title)) return title.text;
  return title && ts.isTemplateExpression(title) ? templateOf(title) : undefined;
}

/** `it`, `it.only`, `it.each(table)` and the like. */
function isTestFunction(expression: ts.Expression): boolean {
  if (ts.isIdentifier(expression)) return ['it', 'test', 'describe'].includes(expression.text);
  return (
    (ts.isPropertyAccessExpression(expression) || ts.isCallExpression(expression)) &&
    isTestFunction(expression.expression)
  );
}

const templateOf = ({ head, templateSpans }: ts.TemplateExpression): string =>
  head.text + templateSpans.map(({ literal }) => `\${…}${literal.text}`).join('');

/** The tags of all spec files, in the order of file names. */
export const readTags = (): Tagged[] =>
  globSync(['test/**/*.spec.ts', 'src/**/*.spec.ts', 'projections/**/*.spec.ts'], { cwd: root })
    .toSorted()
    .flatMap((file) => taggedIn(file, readFileSync(`${root}/${file}`, 'utf8')));

/** Placeholders of `it.each` tables and templates. */
const PLACEHOLDER = /%[#$a-zA-Z]|\$\{…\}|\$[\w.]+/;

/** Tells whether these titles of a run match the tagged test or group. */
export const matchesTag = (titles: readonly string[], tagged: Tagged): boolean =>
  tagged.titles.every((written, index) => patternOf(written).test(titles[index] ?? ''));

function patternOf(written: string): RegExp {
  const literal = written
    .split(PLACEHOLDER)
    .map((part) => part.replaceAll(/[$()*+.?[\\\]^{|}]/g, String.raw`\$&`));
  return new RegExp(`^${literal.join('.*')}$`, 's');
}
