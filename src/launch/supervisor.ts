import type { Config } from '../config/config.js';
import { createLogger } from '../config/logger.js';
import { withSettings } from '../config/settings.js';
import { onStopSignal } from './child.js';
import { takeDataDir } from './data-dir.js';
import { Network } from './network-processes.js';
import { lastingFaults } from './readiness.js';
import { removePreRestoreCopies } from '../backup/restore/remove-pre-restore-copies.js';
import { refuseHalfRestored } from '../backup/restore/restore-state.js';

/**
 * Runs the whole network on this machine until it is told to stop: the stores that are not named by a URL, the
 * projection worker and the API, each a process of its own, started again when it dies.
 * `onStarted` is told the configuration once all of it runs, and what keeps it from being ready, a line each.
 */
export async function runNetwork(
  given: Config,
  onStarted: (config: Config, faults: readonly string[]) => void,
): Promise<void> {
  const log = createLogger(given, 'launcher');
  const dataDir = takeDataDir(given.dataDir);
  const config = withSettings(given, { dataDir: dataDir.path });
  const network = new Network(config, log);
  const ending = new AbortController();
  const stopping = new Promise<void>((resolve) =>
    onStopSignal(
      (why) => {
        log.info({ why }, 'stopping');
        network.giveUpStarting();
        resolve();
      },
      () => {
        network.kill();
        process.exit(1);
      },
    ),
  );
  try {
    refuseHalfRestored(config.dataDir);
    if (await network.start()) {
      const end = Promise.race([stopping, network.lost]);
      void removePreRestoreCopies({ ...network.places, log, signal: ending.signal });
      const faults = await Promise.race([lastingFaults(config.port), end.then(() => undefined)]);
      if (faults) onStarted(config, faults);
      const lost = await end;
      if (lost) throw lost;
    }
  } finally {
    ending.abort();
    await network.stop();
    dataDir.release();
  }
}
