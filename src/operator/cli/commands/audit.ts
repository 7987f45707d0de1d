import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Command } from 'commander';
import { operatorClientOf, withOperator } from '../command-options.js';
import type { OperatorOptions } from '../command-options.js';
import type { AuditFilter, OperatorClient } from '../operator-client.js';
import { plainText } from '../../../support/plain-text.js';
import { parseSince } from '../since.js';

export function addAuditCommand(program: Command): void {
  withOperator(program.command('audit'))
    .description(
      'print recorded events, one JSON object a line: actor, application, grant, operator, reason, and the texts of posts',
    )
    .option('--actor <id>', 'events by this actor and about them')
    .option('--post <id>', 'events of this post')
    .option('--app <client-id>', 'events of this application and through it')
    .option('--grant <id>', 'events of this grant and under it')
    .option('--since <time>', 'a time (2026-01-31, 2026-01-31T09:30Z) or a time ago (24h, 7d)', (value) =>
      parseSince(value, Date.now()),
    )
    .action(async ({ actor, post, app, grant, since, ...options }: AuditFilter & OperatorOptions) => {
      const lines = linesOf(operatorClientOf(options), { actor, post, app, grant, since });
      try {
        await pipeline(Readable.from(lines), process.stdout, { end: false });
      } catch (error) {
        // The reader of the pipe has closed it, as `head` does after ten lines.
        if (!(error instanceof Error && 'code' in error && error.code === 'EPIPE')) throw error;
      }
    });
}

async function* linesOf(api: OperatorClient, filter: AuditFilter): AsyncGenerator<string> {
  let after: number | null | undefined;
  while (after !== null) {
    const { events, next, behind } = await api.audit(filter, after);
    if (behind)
      console.error(
        'the audit is behind the log, so the newest events may be missing; check plaza projections status, then retry',
      );
    for (const event of events) yield plainText(`${JSON.stringify(event)}\n`);
    after = next;
  }
}
