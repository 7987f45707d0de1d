import { publicRevisions } from '../../../projections/posts/posts.read-model.js';
import type { Clock } from '../../commands/support/clock.js';
import { HttpRefusal } from '../server/errors.js';
import { admissionParameters, admittedReadSql } from './admission-sql.js';
import type { AdmissionRow } from './admission-sql.js';
import { admit, presentRead } from './admit-read.js';
import type { PublishedStatements } from './published-statements.js';
import type { RestrictionProof } from './restriction-proof.js';

/** For operators: the posts that anybody can read now, by the admission and rules of an anonymous read. */
export class PublicPosts {
  constructor(
    private readonly statements: PublishedStatements,
    private readonly clock: Clock,
    private readonly proof: RestrictionProof,
  ) {}

  /** Revisions by post id. Empty while the network refuses reads: nobody can read a post then. */
  async revisionsOf(postIds: readonly string[]): Promise<ReadonlyMap<string, number>> {
    if (postIds.length === 0) return new Map();
    try {
      const [row] = await this.statements.run<AdmissionRow>({
        name: publicRevisions.name,
        text: (schemaName) => admittedReadSql(schemaName, publicRevisions),
        values: ({ incarnation }) => [
          ...admissionParameters({
            tokenHash: null,
            now: this.clock.now(),
            incarnation,
            scope: null,
            minPosition: null,
          }),
          ...publicRevisions.values({ postIds }),
        ],
      });
      return presentRead(row, admit(row, undefined, undefined, this.proof), publicRevisions).result;
    } catch (error) {
      if (error instanceof HttpRefusal) return new Map();
      throw error;
    }
  }
}
