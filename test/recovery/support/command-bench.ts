import { ReadModels } from '../../../src/commands/account/read-models.js';
import { Clock, systemClock } from '../../../src/base/support/clock.js';
import { IdGenerator, systemIds } from '../../../src/base/support/id-generator.js';
import { EventLog } from '../../../src/log/event-log.js';
import { openLog } from '../../../src/log/open-log.js';
import type { StoredEvent } from '../../../src/log/registry.js';
import { KeyVault } from '../../../src/log/vault/key-vault.js';
import { NetworkSecrets } from '../../../src/log/vault/network-secrets.js';
import { ErasedDataCleanup } from '../../../src/background/erasure/erased-data-cleanup.js';
import type { Witness } from '../../../src/log/witness/witness.js';
import { WitnessedLog } from '../../../src/log/witness/witnessed-log.js';
import type { WriteObserver } from '../../../src/log/witness/witnessed-log.js';
import { AuthorityStore } from '../../../src/base/store/authority/authority-store.js';
import { openReadStore } from '../../../src/base/store/database.js';
import { commandsOn } from '../../support/commands.js';
import type { Commands } from '../../support/commands.js';
import { until } from '../../support/until.js';
import { openReadyWitness } from '../../support/witness.js';
import { projectInline } from '../../../projections/authority/authority.projection.js';
import { retryWhileUnavailable } from '../../support/retry-while-unavailable.js';

export interface Stores {
  readonly eventStoreUrl: string;
  readonly databaseUrl: string;
  readonly vaultDatabaseUrl: string;
  readonly witnessDatabaseUrl: string;
}

export interface CommandBench {
  /** The log without the witness. */
  readonly raw: EventLog;
  readonly witness: Witness;
  readonly vault: KeyVault;
  /** The commands on real stores; an observer may follow what they write. */
  readonly commands: (observer?: WriteObserver) => Commands;
  /** Appends events to a new stream, and projects them to the authority store. */
  readonly given: (stream: string, ...events: readonly StoredEvent[]) => Promise<void>;
  close(): Promise<void>;
}

export async function openCommandBench(stores: Stores, applicationName: string): Promise<CommandBench> {
  const [database, opened] = await Promise.all([
    openReadStore({ url: stores.databaseUrl, applicationName, maxConnections: 8 }),
    openLog({ ...stores, applicationName }),
  ]);
  const witness = await openReadyWitness(stores.witnessDatabaseUrl, applicationName);
  // On a busy machine the first call exceeds its timeout.
  await until(() => answers(opened.log.read('nothing')));
  const store = new AuthorityStore(database.dataSource);
  return {
    raw: opened.log,
    witness,
    vault: opened.vault,
    commands: (observer) =>
      commandsOn([
        [EventLog, new WitnessedLog(opened.log, witness, Date.now, observer)],
        [KeyVault, opened.vault],
        [NetworkSecrets, opened.secrets],
        [AuthorityStore, store],
        [ReadModels, new ErasedDataCleanup(database.pool)],
        [Clock, systemClock],
        [IdGenerator, systemIds],
      ]),
    given: async (stream, ...events) => {
      const append = {
        stream,
        expected: 'no_stream',
        events: events.map((event) => ({ id: systemIds.uuid(), event })),
        metadata: { requestId: 'test' },
      } as const;
      await retryWhileUnavailable(() => opened.log.append(append));
      await projectInline(await opened.log.read(stream), store.db);
    },
    close: async () => {
      await Promise.all([opened.close(), witness.close()]);
      await database.close();
    },
  };
}

const answers = (call: Promise<unknown>): Promise<boolean> =>
  call.then(
    () => true,
    () => false,
  );
