import { openWitness } from '../../src/log/witness/open-witness.js';
import type { Witness } from '../../src/log/witness/witness.js';
import { until } from './until.js';

/**
 * Opens a witness and waits until it answers. Its first call creates the tables, which can exceed the timeout of a call on
 * a busy machine.
 */
export async function openReadyWitness(url: string, applicationName = 'test'): Promise<Witness> {
  const witness = openWitness({ url, applicationName });
  await until(() =>
    witness.find([]).then(
      () => true,
      () => false,
    ),
  );
  return witness;
}
