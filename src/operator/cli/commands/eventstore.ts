import { resolve } from 'node:path';
import { InvalidArgumentError } from 'commander';
import type { Command } from 'commander';
import { readConfig } from '../../../config/config.js';
import { createLogger } from '../../../config/logger.js';
import { answer, withJson } from '../output.js';
import type { OutputOptions } from '../output.js';

interface EventStoreOptions extends OutputOptions {
  readonly dir: string;
  readonly host: string;
  readonly port: number;
}

/** `plaza eventstore`: the embedded event store alone, for any client of its protocol. */
export function addEventStore(program: Command): void {
  withJson(program.command('eventstore'))
    .description('run the embedded event store alone')
    .requiredOption('--dir <directory>', 'where its log is; made if it is not there')
    .requiredOption('--port <port>', 'where it listens; 0 for any free port', portNumber)
    .option('--host <address>', 'on which address', '127.0.0.1')
    .action(async ({ dir, host, port, ...options }: EventStoreOptions) => {
      const log = createLogger(readConfig(), 'eventstore');
      const { runEventStore } = await import('../../../launch/event-store.js');
      const listening = await runEventStore({ dir: resolve(dir), host, port }, log);
      // Nobody reads it when the launcher started this: it knows the port, and what is printed mixes with the logs.
      if (!process.connected)
        answer(options, { port: listening }, [
          `The event store listens: esdb://${host}:${listening}?tls=false`,
        ]);
    });
}

function portNumber(value: string): number {
  const port = Number(value);
  if (/^\d+$/.test(value) && port <= 65_535) return port;
  throw new InvalidArgumentError('It must be a port number.');
}
