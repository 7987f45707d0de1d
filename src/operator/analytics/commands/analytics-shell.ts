import { resolve } from 'node:path';
import { createInterface } from 'node:readline/promises';
import type { Command } from 'commander';
import { plainText } from '../../../base/support/plain-text.js';
import { Failure } from '../../../base/terminal/failure.js';
import { withMemory } from './memory.js';
import type { MemoryOptions } from './memory.js';
import { withJsonOption } from '../../../base/terminal/output.js';
import type { OutputOptions } from '../../../base/terminal/output.js';
import { printRows } from './analytics-print.js';

const OPAQUE = /'[^']*(?:'|$)|"[^"]*(?:"|$)|\$(\w*)\$[^]*?(?:\$\1\$|$)|--[^\n]*|\/\*[^]*?(?:\*\/|$)/g;

/** The statement with `x` for each text, and without comments. */
const bareOf = (sql: string): string =>
  sql.replaceAll(OPAQUE, (part) => (/^['"$]/.test(part) ? 'x' : ' ')).trim();

export function addShell(analytics: Command): void {
  withMemory(withJsonOption(analytics.command('shell').argument('<dir>', 'directory of the data set')))
    .description(
      'answer one SELECT after the other, each ended by a semicolon at the end of a line; Ctrl-D ends it',
    )
    .action(async (dir: string, { memory, ...options }: OutputOptions & MemoryOptions) => {
      const { openViews } = await import('../../../analytics/query/open-views.js');
      const views = await openViews(resolve(dir), { memory });
      const isTerminal = process.stdin.isTTY;
      const input = createInterface({
        input: process.stdin,
        output: process.stderr,
        prompt: 'plaza> ',
        terminal: isTerminal,
      });
      let isOpen = isTerminal;
      input.once('close', () => (isOpen = false));
      const prompt = () => isOpen && input.prompt();
      const answer = async (statement: string) => {
        if (/^;*$/.test(bareOf(statement))) return;
        try {
          await views.refresh();
          await printRows(views, statement, options);
        } catch (error) {
          if (!(error instanceof Failure)) throw error;
          console.error(plainText(error.message));
          if (!isTerminal) process.exitCode = 1;
        }
      };
      try {
        let statement = '';
        prompt();
        for await (const line of input) {
          statement += `${line}\n`;
          if (!bareOf(statement).endsWith(';')) continue;
          await answer(statement);
          statement = '';
          prompt();
        }
        if (!isTerminal) await answer(statement);
      } finally {
        views.close();
      }
    });
}
