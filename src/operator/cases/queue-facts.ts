import { createHash } from 'node:crypto';
import { BRIGADE, caseFactsSql, publishedFactsSql } from '../../../projections/cases/queue-facts.sql.js';
import type { CaseFacts, PublishedFacts } from '../../../projections/cases/queue-facts.sql.js';
import type { Ask, CaseStatement, ListedCase } from '../../../projections/cases/queue.read-model.js';
import type { PublishedStatements } from '../../doors/api/admission/published-statements.js';
import { HttpRefusal } from '../../server/errors.js';
import type { ActContext } from '../desk/act.js';
import { isAdmitted } from '../desk/admission.js';
import { operatorIdOf } from '../desk/caller.js';

interface Row<Data> {
  readonly incarnation: string | null;
  readonly data: Data;
}

/** Answers statements from the published read models. @throws {HttpRefusal} nothing is published. */
export const askPublished =
  (published: PublishedStatements): Ask =>
  async <Data>(statement: CaseStatement) => {
    const { text, values } = statement('');
    const [row] = await published.run<Row<Data>>({
      name: `cases-${createHash('sha256').update(text).digest('hex').slice(0, 8)}`,
      text: (schema) => statement(schema).text,
      values: () => values,
    });
    return row.data;
  };

/** Returns the facts that the queue shows of a case beside its own row, and the number of the caller's claims: by two statements. */
export async function queueFactsOf({ services, caller }: ActContext, cases: readonly ListedCase[]) {
  const mayDecide = isAdmitted({ may: 'cases.decide', isPersonal: true }, caller);
  const decidable = mayDecide ? cases : [];
  const ids = (of: readonly ListedCase[]) => of.map(({ caseId }) => caseId);
  const authors = [...new Set(cases.map(({ targetActorId }) => targetActorId))];
  const posts = cases.flatMap(({ postId }) => postId ?? []);
  const crowded = decidable.filter(({ reports }) => reports >= BRIGADE);
  const [{ mine, reasons, ofAuthor, reporters }, { applications, brigaded }] = await Promise.all([
    services.pool
      .query<{ data: CaseFacts }>(caseFactsSql, [
        ids(cases),
        authors,
        ids(decidable),
        operatorIdOf(caller) ?? '',
      ])
      .then(({ rows }) => rows[0]?.data ?? { mine: 0, reasons: {}, ofAuthor: {}, reporters: {} }),
    publishedFacts(services.published, posts, ids(crowded)),
  ]);
  const factsOf = ({ caseId, postId, targetActorId }: ListedCase) => ({
    reportsByReason: reasons[caseId] ?? {},
    appId: applications[postId ?? ''] ?? null,
    openOfAuthor: ofAuthor[targetActorId] ?? 0,
    reporters: mayDecide
      ? { ...(reporters[caseId] ?? { people: 0, upheld: 0 }), isBrigade: brigaded.includes(caseId) }
      : null,
  });
  return { mine, factsOf };
}

/** None, if the network has published nothing: the queue is needed then, too. */
async function publishedFacts(
  published: PublishedStatements,
  posts: readonly string[],
  crowded: readonly string[],
): Promise<PublishedFacts> {
  try {
    return await askPublished(published)((schema) => ({
      text: publishedFactsSql(schema),
      values: [posts, crowded],
    }));
  } catch (error) {
    if (!(error instanceof HttpRefusal)) throw error;
    return { applications: {}, brigaded: [] };
  }
}
