import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Command } from 'commander';
import { operatorApi, withOperator } from '../act.js';
import type { OperatorOptions } from '../act.js';
import type { AuditFilter, OperatorClient } from '../operator-client.js';
import { plainText } from '../plain-text.js';
import { since } from '../since.js';

/** `plaza audit`: what the log knows. */
export function addAudit(program: Command): void {
  withOperator(program.command('audit'))
    .description('what happened, one JSON object a line: who did it, through what, why, and what posts said')
    .option('--actor <id>', 'what this person did, and what was done to them')
    .option('--post <id>', 'what happened to this post')
    .option('--app <client-id>', 'what happened to this application and through it')
    .option('--grant <id>', 'what happened to this grant and under it')
    .option('--since <time>', 'a time (2026-01-31, 2026-01-31T09:30Z) or a time ago (24h, 7d)', (value) =>
      since(value, Date.now()),
    )
    .action(async ({ actor, post, app, grant, since, ...options }: AuditFilter & OperatorOptions) => {
      const lines = linesOf(operatorApi(options), { actor, post, app, grant, since });
      try {
        await pipeline(Readable.from(lines), process.stdout, { end: false });
      } catch (error) {
        // Whoever reads has enough, as `head` has after ten lines.
        if (!(error instanceof Error && 'code' in error && error.code === 'EPIPE')) throw error;
      }
    });
}

/** A page at a time, as fast as they are read. */
async function* linesOf(api: OperatorClient, filter: AuditFilter): AsyncGenerator<string> {
  let after: number | null | undefined;
  while (after !== null) {
    const { events, next, behind } = await api.audit(filter, after);
    if (behind)
      console.error('the audit is behind the log, what is newest may be missing: plaza projections status');
    for (const event of events) yield plainText(`${JSON.stringify(event)}\n`);
    after = next;
  }
}
