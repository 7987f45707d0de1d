import type { Logger } from 'pino';
import type { Config } from '../../base/config/config.js';
import { environmentFor, settingsOf, withSettings } from '../../base/config/settings.js';
import { clientAddress, isTlsRequired } from '@plaza/event-store';
import { StartRefusedError, startChild } from '../../launch/child-process.js';
import type { ChildOptions } from '../../launch/child-process.js';
import { startPostgres } from '../../launch/embedded-postgres.js';
import type { EmbeddedPostgres } from '../../launch/embedded-postgres.js';
import { ENTRIES } from './entries.js';
import { listenError, freePort, reservePort } from '../../launch/free-port.js';
import { keepRunning } from '../../launch/keep-running.js';
import type { SupervisedProcess, SupervisionOptions } from '../../launch/keep-running.js';
import { LaunchError } from '../../launch/launch-error.js';
import { stopOrphanedProcesses, ownerArguments } from '../../launch/orphaned-processes.js';
import { removeRunFile, writeRunFile } from '../../launch/run-file.js';
import type { RunningProcess } from '../../launch/running-process.js';
import { sharedTokenOf } from '../../launch/shared-token.js';

/** Processes in the order of their stop: each one before the stores that it uses. */
const STOP_ORDER = ['api', 'worker', 'eventStore', 'postgres'] as const;
type ProcessName = (typeof STOP_ORDER)[number];

const MAX_PORT_ATTEMPTS = 5;
const LOOPBACK = '127.0.0.1';

export class NetworkProcesses {
  readonly #supervised = new Map<ProcessName, SupervisedProcess>();
  readonly #startingPids = new Map<ProcessName, number>();
  readonly #starting = new AbortController();
  #settings: Config;
  #isReady = false;
  #isStopRequested = false;
  readonly #lost = Promise.withResolvers<LaunchError>();

  constructor(
    private readonly config: Config,
    private readonly log: Logger,
  ) {
    this.#settings = config;
  }

  /**
   * Starts all processes. Resolves with true once they serve; with false after {@link cancelStart}: the processes
   * started by then must still be ended by {@link stop}.
   * @throws {LaunchError}
   */
  async start(): Promise<boolean> {
    try {
      await stopOrphanedProcesses(this.config.dataDir, this.log);
      removeRunFile(this.config.dataDir);
      await reservePorts(this.config);
      const operatorToken = sharedTokenOf(this.config);
      const [eventStore, postgres] = await this.#startTogether(this.#eventStore(), this.#postgres());
      this.#settings = withSettings(this.config, { ...eventStore, ...postgres, operatorToken });
      await this.#startTogether(this.#child('worker', 'projector'), this.#child('api', 'api'));
    } catch (error) {
      if (this.#isStopRequested) return false;
      const { reason } = this.#starting.signal;
      throw reason instanceof LaunchError ? reason : error;
    }
    this.#isReady = true;
    this.#writeRunFile();
    return true;
  }

  get lost(): Promise<LaunchError> {
    return this.#lost.promise;
  }

  get endpoints(): { dataDir: string; port: number; urls: Readonly<Record<string, string>> } {
    const { dataDir, port } = this.#settings;
    return { dataDir, port, urls: settingsOf(this.#settings) };
  }

  cancelStart(): void {
    this.#isStopRequested = true;
    this.#starting.abort();
  }

  async stop(): Promise<void> {
    for (const name of STOP_ORDER) await this.#supervised.get(name)?.stop();
    removeRunFile(this.config.dataDir);
  }

  kill(): void {
    for (const child of this.#supervised.values()) child.kill();
  }

  async #eventStore(): Promise<Partial<Config>> {
    if (this.config.eventStoreUrl !== undefined) return {};
    for (let attempt = 1; ; attempt++) {
      const port = await freePort();
      try {
        await this.#keepEventStore(port);
        const [, dir = ''] = ownerArguments.eventStore(this.config.dataDir);
        return { eventStoreUrl: await clientAddress({ dir, host: LOOPBACK, port, tls: this.#tls }) };
      } catch (error) {
        const isRetryable =
          error instanceof StartRefusedError && error.reason === 'port' && attempt < MAX_PORT_ATTEMPTS;
        if (!isRetryable) throw error;
      }
    }
  }

  get #tls(): boolean {
    return this.config.eventStoreTls === 'on' || isTlsRequired(LOOPBACK);
  }

  async #keepEventStore(port: number): Promise<void> {
    const mark = ownerArguments.eventStore(this.config.dataDir);
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
    const args = ownerArguments.node(this.config.dataDir);
    await this.#keep(name, (signal) =>
      this.#start(name, { name: `the ${name} process`, entry: ENTRIES[role], args, env, signal }),
    );
  }

  /**
   * Starts a child, and records its process id at once: if it freezes before it serves, it outlives the launcher, and
   * the next start must find it.
   */
  async #start(name: ProcessName, options: ChildOptions): Promise<RunningProcess> {
    const onStarted = (pid: number): void => {
      this.#startingPids.set(name, pid);
      this.#recordProcesses();
    };
    try {
      return await startChild({ ...options, onStarted });
    } finally {
      this.#startingPids.delete(name);
    }
  }

  async #startTogether<A, B>(one: Promise<A>, other: Promise<B>): Promise<[A, B]> {
    try {
      return await Promise.all([one, other]);
    } catch (error) {
      this.#starting.abort();
      await Promise.allSettled([one, other]);
      throw error;
    }
  }

  async #keep(name: ProcessName, start: SupervisionOptions['start']): Promise<void> {
    const { log } = this;
    const { signal } = this.#starting;
    const onRestart = () => this.#recordProcesses();
    const onLost = ({ message }: LaunchError) => {
      const lost = new LaunchError(
        `${message}; the whole network stops, because a restart of this process would fail again`,
      );
      this.#lost.resolve(lost);
      this.#starting.abort(lost);
    };
    this.#supervised.set(name, await keepRunning({ name, start, log, onRestart, onLost, signal }));
    this.#writeRunFile();
  }

  /** Writes run.json, but only logs a failure: a full disk must not end a network that serves. */
  #recordProcesses(): void {
    try {
      this.#writeRunFile();
    } catch (error) {
      this.log.error(
        { err: error },
        'run.json not written; after a crash, the next start may not find the processes of now',
      );
    }
  }

  #writeRunFile(): void {
    const pids = Object.fromEntries([...this.#supervised].map(([name, child]) => [name, child.pid()]));
    writeRunFile(this.config.dataDir, {
      ready: this.#isReady,
      pids: { supervisor: process.pid, ...pids },
      starting: [...this.#startingPids.values()],
      settings: settingsOf(this.#settings),
    });
  }
}

async function reservePorts({ host, port, operatorPort, operatorHost, metricsPort }: Config): Promise<void> {
  for (const configured of [port, operatorPort, metricsPort])
    if (configured !== undefined) await reservePort(configured);
  await refuseTakenPort('PORT', port, 'HOST', host);
  await refuseTakenPort('OPERATOR_PORT', operatorPort, 'OPERATOR_HOST', operatorHost);
  if (metricsPort !== undefined)
    await refuseTakenPort('METRICS_PORT', metricsPort, 'OPERATOR_HOST', operatorHost);
}

async function refuseTakenPort(
  variable: string,
  port: number,
  hostVariable: string,
  host?: string,
): Promise<void> {
  const fault = await listenError(port, host);
  if (fault === 'EADDRINUSE')
    throw new LaunchError(
      `${variable}: another program listens on port ${port}; stop it or set ${variable} to a free port`,
    );
  if (fault && host !== undefined && /^(ENOTFOUND|EAI_|EADDRNOTAVAIL)/.test(fault))
    throw new LaunchError(`${hostVariable}: ${host} is no address of this machine (${fault})`);
  if (fault)
    throw new LaunchError(`${variable}: nothing can listen on ${host ?? '*'}:${port} here (${fault})`);
}
