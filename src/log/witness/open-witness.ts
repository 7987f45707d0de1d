import { PostgresWitness } from './postgres-witness.js';
import { Witness, WitnessRequired } from './witness.js';

/**
 * Connects at the first call, since a process must start while its witness is down. Without a `url`, every method but
 * `close` rejects.
 */
export function openWitness({
  url,
  applicationName,
}: {
  readonly url: string | undefined;
  readonly applicationName: string;
}): Witness {
  return url === undefined ? new NoWitness() : new PostgresWitness({ url, applicationName });
}

class NoWitness extends Witness {
  readonly prepare = refuse;
  readonly accept = refuse;
  readonly finalize = refuse;
  readonly withdraw = refuse;
  readonly move = refuse;
  readonly reseed = refuse;
  readonly find = refuse;
  readonly unsettled = refuse;
  readonly after = refuse;
  readonly acceptedAfter = refuse;
  readonly digest = refuse;
  readonly withdrawn = refuse;
  readonly ofOperators = refuse;
  readonly erasures = refuse;
  readonly firstBroken = refuse;

  close(): Promise<void> {
    return Promise.resolve();
  }
}

function refuse(): Promise<never> {
  return Promise.reject(new WitnessRequired('This process has no witness: set WITNESS_DATABASE_URL.'));
}
