import { resolve } from 'node:path';
import { InvalidArgumentError, Option } from 'commander';
import type { Command } from 'commander';
import { readConfig } from '../../base/config/config.js';
import { createLogger } from '../../base/config/logger.js';
import type { RunningEventStore } from '../../launch/event-store.js';
import { printResult, withJsonOption } from '../../base/terminal/output.js';
import type { OutputOptions } from '../../base/terminal/output.js';

interface EventStoreOptions extends OutputOptions {
  readonly dir: string;
  readonly host: string;
  readonly port: number;
  readonly tls?: true;
  readonly logLevel?: string;
  readonly quiet?: true;
}

export function addEventStoreCommand(program: Command): void {
  withJsonOption(program.command('eventstore'))
    .description('run the embedded event store alone')
    .requiredOption('--dir <directory>', 'directory of its log, created if absent')
    .requiredOption('--port <port>', 'port to listen on; 0 for any free port', portNumber)
    .option('--host <address>', 'address to listen on', '127.0.0.1')
    .option('--tls', 'serve TLS, also where only this user could connect without it')
    .addOption(new Option('--log-level <level>', 'log level').env('LOG_LEVEL'))
    // The launcher knows the port, and output would mix with its logs.
    .addOption(new Option('--quiet').hideHelp())
    .action(async ({ dir, host, port, tls, logLevel, quiet, ...options }: EventStoreOptions) => {
      // Reads LOG_LEVEL alone: the command must run with any other settings, even incomplete ones.
      const log = createLogger(readConfig({ LOG_LEVEL: logLevel }), 'eventstore');
      const { runEventStore } = await import('../../launch/event-store.js');
      const store = await runEventStore({ dir: resolve(dir), host, port, ...(tls && { tls }) }, log);
      if (!quiet) printResult(options, { port: store.port }, [listeningLine(store)]);
    });
}

function listeningLine({ url, credentialsFile }: RunningEventStore): string {
  const credentials = credentialsFile === undefined ? '' : ` (user and password: ${credentialsFile})`;
  return `The event store listens: ${url}${credentials}`;
}

function portNumber(value: string): number {
  const port = Number(value);
  if (/^\d+$/.test(value) && port <= 65_535) return port;
  throw new InvalidArgumentError('The port to listen on must be a port number, or 0.');
}
