import type { Pool } from 'pg';
import type { RestrictionProof } from '../../../doors/api/admission/restriction-proof.js';

const provenState = `
  SELECT EXISTS (SELECT FROM authority.deriving) AS is_deriving, (
    SELECT incarnation.witness_epoch::text FROM recovery.publication JOIN recovery.incarnation USING (incarnation)
    WHERE publication.status = 'serving') AS epoch`;

/** SQLSTATE of an undefined table and schema: the read store was dropped. */
const READ_STORE_MISSING = new Set<unknown>(['42P01', '3F000']);

export interface ProofSources {
  readonly pool: Pool;
  readonly proof: RestrictionProof;
}

/** True if log, witness and published read models agree. False between a restore and the end of its check. */
export async function isProven({ pool, proof }: ProofSources): Promise<boolean> {
  try {
    const { rows } = await pool.query<{ is_deriving: boolean; epoch: string | null }>(provenState);
    const [{ is_deriving: isDeriving, epoch } = { is_deriving: true, epoch: null }] = rows;
    return !isDeriving && epoch !== null && proof.unavailableReason(BigInt(epoch)) === undefined;
  } catch (error) {
    if (READ_STORE_MISSING.has((error as { readonly code?: unknown }).code)) return false;
    throw error;
  }
}
