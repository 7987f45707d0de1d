import type { Command } from 'commander';
import { readConfig } from '../../base/config/config.js';
import type { Config } from '../../base/config/config.js';
import { banner, operatorUrl } from '../../launch/banner.js';
import { ENTRIES } from '../supervisor/entries.js';
import { printResult, withJsonOption } from '../../base/terminal/output.js';
import type { OutputOptions } from '../../base/terminal/output.js';

export function addStartCommand(program: Command): void {
  withJsonOption(program.command('start'))
    .description(
      'run the network (ROLE=all), or one of its processes in the foreground (ROLE=api, ROLE=projector)',
    )
    .action(async (options: OutputOptions) => {
      const config = readConfig();
      if (config.role === 'all') {
        const { runNetwork } = await import('../supervisor/supervisor.js');
        await runNetwork(config, (running, faults, logKeys) =>
          printBanner(running, { faults, logKeys }, options),
        );
      } else {
        // The imported module runs the process until it ends.
        await import(ENTRIES[config.role].href);
      }
    });
}

function printBanner(
  config: Config,
  { faults, logKeys }: { faults: readonly string[]; logKeys: readonly string[] | undefined },
  options: OutputOptions,
): void {
  const { baseUrl, dataDir } = config;
  printResult(options, { baseUrl, operatorUrl: operatorUrl(config), dataDir, logKeys }, [
    banner(config, faults, logKeys),
  ]);
}
