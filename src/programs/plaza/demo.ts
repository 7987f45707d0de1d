import type { Command } from 'commander';
import { readConfig } from '../../base/config/config.js';
import type { Config } from '../../base/config/config.js';
import { nonDefaultSettings } from '../../launch/banner.js';
import { operatorClientOf, withOperator } from '../../operator/client/command-options.js';
import { plainText } from '../../base/support/plain-text.js';
import { isOnTerminal } from '../../base/terminal/output.js';
import { peopleCount, runRemoval, runTown } from './town.js';
import type { TownOptions } from './town.js';

export function addDemoCommand(program: Command): void {
  withOperator(program.command('demo'))
    .description('run the whole flow against a running network: register, sign in, post, follow, reply, read')
    .option(
      '--people <number>',
      'fill the network of this DATA_DIR with so many people and their posts',
      peopleCount,
    )
    .option('--serve', 'with --people: then serve the reference application, until Ctrl-C')
    .option('--remove', 'erase the people that --people created')
    .action(async (options: TownOptions, command: Command) => {
      const { people, serve, remove } = options;
      if ((serve && people === undefined) || (remove && (serve || people !== undefined)))
        command.error('error: give --people NUMBER, with or without --serve, or --remove alone', {
          exitCode: 2,
        });
      if (people !== undefined) return runTown(people, options);
      if (remove) return runRemoval(options);
      const { runDemo } = await import('../demo/demo.js');
      const isStory = options.json !== true && isOnTerminal();
      const print = (text: string) => void process.stdout.write(plainText(`${text}\n`));
      let step = 0;
      const printStep = (text: string) => print(`${String(++step).padStart(2)}. ${text}`);
      const config = readConfig();
      const { baseUrl } = config;
      const result = await runDemo({
        baseUrl,
        operator: operatorClientOf(options),
        say: options.json || isStory ? () => undefined : printStep,
        tell: isStory ? printStep : () => undefined,
      });
      print(
        isStory ? ending(config, result.clientId) : JSON.stringify(result, undefined, options.json ? 0 : 2),
      );
    });
}

function ending(config: Config, clientId: string): string {
  const command = (words: string) => [...nonDefaultSettings(config), 'npx plaza', words].join(' ');
  return `
All of it went through the API that every application uses: ${config.baseUrl}/docs. Go on:

  ${command(`audit app:${clientId}`)}
    who did what, as the log has it
  ${command('demo --json')}
    every answer of the API`;
}
