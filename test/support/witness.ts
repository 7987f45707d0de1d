import { openWitness } from '../../src/witness/open-witness.js';
import type { Witness } from '../../src/witness/witness.js';
import { until } from './until.js';

/**
 * Opens a witness, and waits until it answers. Its first call makes its tables, for which a busy machine may need longer
 * than one call may take.
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
