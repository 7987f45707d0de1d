import type { Config } from '../../base/config/config.js';
import { createLogger } from '../../base/config/logger.js';
import { withSettings } from '../../base/config/settings.js';
import { onStopSignal } from '../../launch/child.js';
import { acquireDataDir } from '../../launch/data-dir.js';
import { logKeysOf } from '../../launch/log-keys.js';
import { NetworkProcesses } from './network-processes.js';
import { persistentFaults } from '../../launch/readiness.js';
import { removePreRestoreCopies } from '../../recovery/backup/restore/remove-pre-restore-copies.js';
import { refuseInterruptedRestore } from '../../recovery/backup/restore/restore-state.js';

/**
 * Runs the whole network on this machine until a stop signal: embedded stores, worker and API. Each is a process that
 * is restarted when it dies. `onStarted` gets the final configuration, the reasons why the network is not ready, one
 * line each (none: it is ready), and the public log keys.
 * @throws {LaunchError}
 */
export async function runNetwork(
  settings: Config,
  onStarted: (config: Config, faults: readonly string[], logKeys: readonly string[] | undefined) => void,
): Promise<void> {
  const log = createLogger(settings, 'launcher');
  const dataDir = acquireDataDir(settings.dataDir);
  const config = withSettings(settings, { dataDir: dataDir.path });
  const network = new NetworkProcesses(config, log);
  const ending = new AbortController();
  const stopping = new Promise<void>((resolve) =>
    onStopSignal(
      (why) => {
        log.info({ why }, 'stopping');
        network.cancelStart();
        resolve();
      },
      () => {
        network.kill();
        process.exit(1);
      },
    ),
  );
  try {
    refuseInterruptedRestore(config.dataDir);
    if (await network.start()) {
      const end = Promise.race([stopping, network.lost]);
      void removePreRestoreCopies({ ...network.endpoints, host: config.host, log, signal: ending.signal });
      const faults = await Promise.race([persistentFaults(config), end.then(() => undefined)]);
      if (faults) onStarted(config, faults, await logKeysOf(config));
      const lost = await end;
      if (lost) throw lost;
    }
  } finally {
    ending.abort();
    await network.stop();
    dataDir.release();
  }
}
