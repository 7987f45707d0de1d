import { Option } from 'commander';
import type { Command } from 'commander';
import { parseSearch, typedText } from '../search-query.js';
import { SearchError, termText } from '../search-terms.js';
import { TIME_HELP } from '../time.js';
import { plainText } from '../../../base/support/plain-text.js';
import type { AuditEntry } from '../entry.js';
import type { NamesInLines } from '../../client/names-in-lines.js';
import { withNames } from '../../client/with-names.js';
import { auditTable, csvHead, csvOf, jsonLine } from './audit-output.js';
import { followedEvents, pagesOf } from './audit-pages.js';
import { operatorClientOf, wholeNumber, withOperator } from '../../client/command-options.js';
import type { OperatorOptions } from '../../client/command-options.js';
import type { OperatorClient } from '../../client/operator-client.js';
import { isOnTerminal } from '../../../base/terminal/output.js';
import { printLines } from '../../../base/terminal/print-lines.js';
import { terminal } from '../../../base/terminal/terminal.js';

const TABLE_LIMIT = 50;

const filters = {
  actor: ['<id or handle>', 'by this actor and about them; @ana is a handle in any case'],
  post: ['<id>', 'of this post'],
  app: ['<client-id or name>', 'of this application and through it'],
  grant: ['<id>', 'of this grant and under it'],
  operator: ['<id or name>', 'by this operator and about them'],
  claimed: ['<name>', 'whose client claimed this name (--as), which nothing proves'],
  type: ['<name>', 'of this type: post.created, or post.* for all that begin so'],
  request: ['<id>', 'of the request with this x-request-id, or requestId of an event'],
  intent: ['<id>', 'of this intentId'],
  since: ['<time>', TIME_HELP],
  until: ['<time>', `before ${TIME_HELP}; a day counts whole`],
} as const;

export type Filters = { readonly [Name in keyof typeof filters]?: string };

interface AuditOptions extends OperatorOptions, Filters {
  readonly limit?: number;
  readonly csv?: true;
  readonly follow?: true;
  readonly after?: string;
  readonly wait?: true;
  readonly texts: boolean;
}

export function addAuditCommand(program: Command): void {
  const audit = withOperator(program.command('audit'))
    .description('search the recorded events, newest first: who did what, through which application, why')
    .argument(
      '[search...]',
      'terms that must all hold: actor:ID since:24h -type:post.created reason:"order 12*"',
    );
  withFilters(audit)
    .option('--limit <number>', `the most events (default: ${TABLE_LIMIT} in a table, else all)`, wholeNumber)
    .addOption(new Option('--csv', 'print CSV, with a line of headings').conflicts('json'))
    .addOption(
      new Option(
        '--follow',
        'print events as they happen, in the order of the log, one JSON object a line',
      ).conflicts(['csv', 'limit', 'wait']),
    )
    .option('--after <cursor>', 'with --follow: go on after the line with this cursor')
    .option('--wait', 'wait until the audit has every event that the log has now')
    .option('--no-texts', 'leave out the texts of posts and reports')
    .action(async (terms: string[], options: AuditOptions, command: Command) => {
      if (options.after !== undefined && !options.follow)
        command.error('error: --after goes with --follow', { exitCode: 2 });
      const question = { q: searchOf(terms, options, command), texts: options.texts };
      const lines = linesOf(operatorClientOf(options), question, options);
      await printLines(lines);
    });
}

export function withFilters(command: Command): Command {
  for (const [name, [value, description]] of Object.entries(filters))
    command.option(`--${name} ${value}`, `events ${description}`);
  return command;
}

/** With absolute times, so that all pages have the same window. The network puts ids in the place of names. */
export function searchOf(terms: readonly string[], options: Filters, command: Command): string {
  const typed = Object.keys(filters).flatMap((name) => {
    const value = options[name as keyof Filters];
    return value === undefined ? [] : [termText(name, value)];
  });
  try {
    return typedText(parseSearch([...typed, ...terms].join(' '), Date.now()));
  } catch (error) {
    if (error instanceof SearchError) command.error(`error: ${error.message}`, { exitCode: 2 });
    throw error;
  }
}

async function* linesOf(
  api: OperatorClient,
  question: { readonly q: string; readonly texts: boolean },
  { json, csv, follow, after, limit, wait: waits }: AuditOptions,
): AsyncGenerator<string> {
  const wait = waits ?? false;
  if (follow) {
    for await (const entry of followedEvents(api, question, after)) yield jsonLine(entry);
    return;
  }
  if (!json && !csv && isOnTerminal()) {
    yield* tableOf(api, question, limit ?? TABLE_LIMIT, wait);
    return;
  }
  if (csv) yield csvHead();
  for await (const { events } of pagesOf(api, question, { limit, wait }))
    for (const entry of events) yield csv ? csvOf(entry) : jsonLine(entry);
}

async function* tableOf(
  api: OperatorClient,
  question: { readonly q: string; readonly texts: boolean },
  limit: number,
  wait: boolean,
): AsyncGenerator<string> {
  const events: AuditEntry[] = [];
  const names: Record<string, string> = {};
  let hasMore = false;
  for await (const page of pagesOf(api, question, { limit, wait })) {
    events.push(...page.events);
    Object.assign(names, page.applications, page.operators);
    hasMore = page.next !== null;
  }
  const lines =
    events.length === 0
      ? ['no event meets all conditions']
      : await withNames(api, {}, (inLines) =>
          auditTable(events, names, question.texts ? inLines : withoutWords(inLines)),
        );
  yield plainText(`${lines.join('\n')}\n`);
  if (hasMore) terminal().stderr.write(`these are the newest ${events.length}; --limit shows more\n`);
}

/** The name of a post is the beginning of its text. */
const withoutWords = ({ named, nameOf }: NamesInLines): NamesInLines => ({
  named: (noun, id) => (noun === 'posts' ? id : named(noun, id)),
  nameOf: (noun, id) => (noun === 'posts' ? id : nameOf(noun, id)),
});
