import type { Pool } from 'pg';
import { readPublicationState } from '../projections/incarnations/recovery-state.js';
import type { PublicationState } from '../projections/incarnations/recovery-state.js';

/**
 * The read models that answer reads.
 * @throws {Error} none are published
 */
export async function published(pool: Pool): Promise<PublicationState> {
  const state = await readPublicationState(pool);
  if (!state) throw new Error('nothing is published');
  return state;
}
