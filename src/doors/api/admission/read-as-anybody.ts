import type { ReadQuery } from '../../../../projections/runner/read-query.js';
import type { Clock } from '../../../base/support/clock.js';
import { HttpRefusal } from '../../../server/errors.js';
import { admissionParameters, admittedReadSql } from './admission-sql.js';
import type { AdmissionRow } from './admission-sql.js';
import { admit, presentRead } from './admit-read.js';
import type { PublishedStatements } from './published-statements.js';
import type { RestrictionProof } from './restriction-proof.js';

export interface AnybodysReads {
  readonly statements: PublishedStatements;
  readonly clock: Clock;
  readonly proof: RestrictionProof;
}

/**
 * For operators: a read by the admission and rules of an anonymous one. Undefined: the network refuses reads, so nobody can
 * read that.
 */
export async function readAsAnybody<Args, Result>(
  { statements, clock, proof }: AnybodysReads,
  query: ReadQuery<Args, Result>,
  args: Args,
): Promise<Result | undefined> {
  const anybody = { tokenHash: null, scope: null, minPosition: null };
  try {
    const [row] = await statements.run<AdmissionRow>({
      name: query.name,
      text: (schemaName) => admittedReadSql(schemaName, query),
      values: ({ incarnation }) => [
        ...admissionParameters({ ...anybody, now: clock.now(), incarnation }),
        ...query.values(args),
      ],
    });
    return presentRead(row, admit(row, undefined, undefined, proof), query).result;
  } catch (error) {
    if (error instanceof HttpRefusal) return undefined;
    throw error;
  }
}
