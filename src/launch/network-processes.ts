import { join } from 'node:path';
import type { Logger } from 'pino';
import type { Config } from '../config/config.js';
import { environmentFor, settingsOf, withSettings } from '../config/settings.js';
import { clientAddress, needsTls } from '../embedded-event-store/server.js';
import { Refused, startChild } from './child-process.js';
import type { ChildOptions } from './child-process.js';
import { startPostgres } from './embedded-postgres.js';
import type { EmbeddedPostgres } from './embedded-postgres.js';
import { ENTRIES } from './entries.js';
import { faultOfPort, freePort, reservePort } from './free-port.js';
import { keepRunning } from './keep-running.js';
import type { SupervisedProcess, KeepOptions } from './keep-running.js';
import { LaunchError } from './launch-error.js';
import { clearLeftovers, ownerMarks } from './orphaned-processes.js';
import { removeRun, writeRun } from './run-file.js';
import type { Running } from './running.js';
import { secretFile } from './secret-file.js';

/** In the order in which they are stopped: nobody loses a store that it still uses. */
const STOP_ORDER = ['api', 'worker', 'eventStore', 'postgres'] as const;
type Name = (typeof STOP_ORDER)[number];

const MOST_PORTS_TRIED = 5;
const LOOPBACK = '127.0.0.1';

/** The processes of one network on this machine. */
export class Network {
  readonly #kept = new Map<Name, SupervisedProcess>();
  /** Ids of processes that do not serve yet. */
  readonly #startingPids = new Map<Name, number>();
  readonly #starting = new AbortController();
  /** The configuration, with what was started filled in. */
  #settings: Config;
  #isReady = false;
  #isToldToStop = false;
  readonly #lost = Promise.withResolvers<LaunchError>();

  constructor(
    private readonly config: Config,
    private readonly log: Logger,
  ) {
    this.#settings = config;
  }

  /** Resolves when all of it serves; with false when it was told to give up. What has started then is for `stop`. */
  async start(): Promise<boolean> {
    try {
      await clearLeftovers(this.config.dataDir, this.log);
      removeRun(this.config.dataDir);
      await reservePorts(this.config);
      const [eventStore, postgres] = await this.#together(this.#eventStore(), this.#postgres());
      const operatorToken = this.#operatorToken();
      this.#settings = withSettings(this.config, { ...eventStore, ...postgres, operatorToken });
      await this.#together(this.#child('worker', 'projector'), this.#child('api', 'api'));
    } catch (error) {
      if (this.#isToldToStop) return false;
      const { reason } = this.#starting.signal;
      throw reason instanceof LaunchError ? reason : error;
    }
    this.#isReady = true;
    this.#writeRun();
    return true;
  }

  /** Resolves with why when a process has ended that no further start would bring back. */
  get lost(): Promise<LaunchError> {
    return this.#lost.promise;
  }

  /** Where its data is, and where it answers. */
  get places(): { dataDir: string; port: number; urls: Readonly<Record<string, string>> } {
    const { dataDir, port } = this.#settings;
    return { dataDir, port, urls: settingsOf(this.#settings) };
  }

  giveUpStarting(): void {
    this.#isToldToStop = true;
    this.#starting.abort();
  }

  /** Stops all processes, one after the other. */
  async stop(): Promise<void> {
    for (const name of STOP_ORDER) await this.#kept.get(name)?.stop();
    removeRun(this.config.dataDir);
  }

  /** Ends all processes at once, by force. */
  kill(): void {
    for (const kept of this.#kept.values()) kept.kill();
  }

  #operatorToken(): string {
    return this.config.operatorToken ?? secretFile(join(this.config.dataDir, 'operator.token'));
  }

  async #eventStore(): Promise<Partial<Config>> {
    if (this.config.eventStoreUrl !== undefined) return {};
    for (let attempt = 1; ; attempt++) {
      const port = await freePort();
      try {
        await this.#keepEventStore(port);
        const [, dir = ''] = ownerMarks.eventStore(this.config.dataDir);
        return { eventStoreUrl: await clientAddress({ dir, host: LOOPBACK, port, tls: this.#tls }) };
      } catch (error) {
        // The port was taken between our look and its start.
        const another = error instanceof Refused && error.why === 'port' && attempt < MOST_PORTS_TRIED;
        if (!another) throw error;
      }
    }
  }

  get #tls(): boolean {
    return this.config.eventStoreTls === 'on' || needsTls(LOOPBACK);
  }

  async #keepEventStore(port: number): Promise<void> {
    const mark = ownerMarks.eventStore(this.config.dataDir);
    const tls = this.#tls ? ['--tls'] : [];
    const args = ['eventstore', '--quiet', ...mark, '--host', LOOPBACK, '--port', String(port), ...tls];
    const env = environmentFor(this.config);
    await this.#keep('eventStore', (signal) =>
      this.#start('eventStore', { name: 'the event store', entry: ENTRIES.commandLine, args, env, signal }),
    );
  }

  async #postgres(): Promise<Partial<Config>> {
    const { databaseUrl, vaultDatabaseUrl, witnessDatabaseUrl, dataDir } = this.config;
    if ([databaseUrl, vaultDatabaseUrl, witnessDatabaseUrl].every((url) => url !== undefined)) return {};
    let postgres: EmbeddedPostgres | undefined;
    await this.#keep('postgres', async (signal) => {
      // On the same port again, since the others hold the URLs.
      postgres = await startPostgres({
        dataDir,
        log: this.log.child({ part: 'postgres' }),
        port: postgres?.port,
        signal,
      });
      return postgres;
    });
    return {
      databaseUrl: databaseUrl ?? postgres?.databaseUrl,
      vaultDatabaseUrl: vaultDatabaseUrl ?? postgres?.vaultDatabaseUrl,
      witnessDatabaseUrl: witnessDatabaseUrl ?? postgres?.witnessDatabaseUrl,
    };
  }

  async #child(name: 'worker' | 'api', role: 'projector' | 'api'): Promise<void> {
    const env = environmentFor(withSettings(this.#settings, { role }));
    const args = ownerMarks.node(this.config.dataDir);
    await this.#keep(name, (signal) =>
      this.#start(name, { name: `the ${name} process`, entry: ENTRIES[role], args, env, signal }),
    );
  }

  /** Its id is noted at once: frozen before it serves, it outlives us, and the next start must find it. */
  async #start(name: Name, options: ChildOptions): Promise<Running> {
    const onStarted = (pid: number): void => {
      this.#startingPids.set(name, pid);
      this.#noteProcesses();
    };
    try {
      return await startChild({ ...options, onStarted });
    } finally {
      this.#startingPids.delete(name);
    }
  }

  /** All of them; or the first fault, once the others have given up. */
  async #together<A, B>(one: Promise<A>, other: Promise<B>): Promise<[A, B]> {
    try {
      return await Promise.all([one, other]);
    } catch (error) {
      this.#starting.abort();
      await Promise.allSettled([one, other]);
      throw error;
    }
  }

  async #keep(name: Name, start: KeepOptions['start']): Promise<void> {
    const { log } = this;
    const { signal } = this.#starting;
    const onRestart = () => this.#noteProcesses();
    const onLost = ({ message }: LaunchError) => {
      const lost = new LaunchError(`${message}; the network stops, since starting again would not help`);
      this.#lost.resolve(lost);
      this.#starting.abort(lost);
    };
    this.#kept.set(name, await keepRunning({ name, start, log, onRestart, onLost, signal }));
    this.#writeRun();
  }

  /** A disk that is full for the moment must not end a network that serves. */
  #noteProcesses(): void {
    try {
      this.#writeRun();
    } catch (error) {
      this.log.error(
        { err: error },
        'run.json could not be written and does not name the processes that run now',
      );
    }
  }

  #writeRun(): void {
    const pids = Object.fromEntries([...this.#kept].map(([name, kept]) => [name, kept.pid()]));
    writeRun(this.config.dataDir, {
      ready: this.#isReady,
      pids: { supervisor: process.pid, ...pids },
      starting: [...this.#startingPids.values()],
      settings: settingsOf(this.#settings),
    });
  }
}

/** No part of this network, nor of another, chooses a port that is configured here. */
async function reservePorts({ host, port, operatorPort, operatorHost, metricsPort }: Config): Promise<void> {
  for (const each of [port, operatorPort, metricsPort]) if (each !== undefined) await reservePort(each);
  await refuseTakenPort('PORT', port, host);
  await refuseTakenPort('OPERATOR_PORT', operatorPort, operatorHost);
  if (metricsPort !== undefined) await refuseTakenPort('METRICS_PORT', metricsPort, operatorHost);
}

async function refuseTakenPort(variable: string, port: number, host?: string): Promise<void> {
  const fault = await faultOfPort(port, host);
  if (fault === 'EADDRINUSE')
    throw new LaunchError(
      `${variable}: another program listens on port ${port}; stop it or set ${variable} to a free port`,
    );
  if (fault)
    throw new LaunchError(`${variable}: nothing can listen on ${host ?? '*'}:${port} here (${fault})`);
}
