import type { Command } from 'commander';
import { readConfig } from '../../base/config/config.js';
import { operatorClientOf, withOperator } from '../../operator/client/command-options.js';
import type { OperatorOptions } from '../../operator/client/command-options.js';
import { plainText } from '../../base/support/plain-text.js';

export function addDemoCommand(program: Command): void {
  withOperator(program.command('demo'))
    .description('run the whole flow against a running network: register, sign in, post, follow, reply, read')
    .action(async (options: OperatorOptions) => {
      const { runDemo } = await import('../demo/demo.js');
      let step = 0;
      const say = (text: string) => {
        if (!options.json) process.stdout.write(plainText(`${String(++step).padStart(2)}. ${text}\n`));
      };
      const result = await runDemo({
        baseUrl: readConfig().baseUrl,
        operator: operatorClientOf(options),
        say,
      });
      process.stdout.write(plainText(`${JSON.stringify(result, undefined, options.json ? 0 : 2)}\n`));
    });
}
