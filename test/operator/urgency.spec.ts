import { describe, expect, it } from '@jest/globals';
import * as fc from 'fast-check';
import { caseDesks } from './support/case-desk.js';
import { QueueDesk } from './support/queue-desk.js';

const at = caseDesks();
const queue = () => new QueueDesk(at());

const people = ['ada', 'bob', 'cleo', 'dan', 'eve', 'finn', 'gus'];

/** By severity. */
const reasons = ['spam', 'other', 'harassment', 'illegal'] as const;

const steps = fc.sample(
  fc.oneof(
    {
      weight: 2,
      arbitrary: fc.record({
        reason: fc.constantFrom(...reasons),
        by: fc.array(fc.constantFrom(...people), { minLength: 1, maxLength: 6 }),
        subject: fc.nat(2),
      }),
    },
    { weight: 1, arbitrary: fc.record({ act: fc.constantFrom('decide', 'reopen'), subject: fc.nat(2) }) },
  ),
  { seed: 35, numRuns: 150 },
);

describe('the urgency of a case', () => {
  it('is that of a count of the reports that no decision has seen, whatever happened before', async () => {
    const { grace, hedy, desk } = at();
    const author = await desk.account();
    const posts = [await desk.post(author), await desk.post(author), await desk.post(author)];
    const known: Record<string, number> = {};
    const seen = { crowded: 0, reopened: 0 };
    for (const step of steps) {
      const postId = posts[step.subject]!;
      const id = `post-${postId}`;
      if ('by' in step) await queue().report(postId, author, step.reason, step.by);
      else if (id in known) {
        const { isOpen } = await hedy.get('cases/:id', { id });
        if (step.act === 'decide' && isOpen) await at().decide(grace, id, []);
        if (step.act === 'reopen' && !isOpen) {
          await hedy.post('cases/:id/reopen', { id, reason: 'once more' });
          seen.reopened++;
        }
      }
      const { rows } = await desk.services.pool.query<{ id: string; urgency: number; count: number | null }>(
        `SELECT case_id AS id, urgency, (
          SELECT 10 * max(array_position($1::text[], reason)) + least(count(DISTINCT reporter_actor_id), 5)::integer
          FROM cases.report WHERE report.case_id = summary.case_id AND decision_id IS NULL) AS count FROM cases.summary`,
        [reasons],
      );
      for (const { id: each, urgency, count } of rows) {
        expect([each, urgency]).toEqual([each, count ?? known[each]]);
        known[each] = urgency;
        if (urgency % 10 === 5) seen.crowded++;
      }
    }
    expect(Math.min(seen.crowded, seen.reopened)).toBeGreaterThan(3);
  });

  it('is found without reading the reports of a crowded case, also after a large batch', async () => {
    const { desk } = at();
    const crowded = await queue().reported('spam', people);
    await queue().fill(2_000);
    const client = await desk.services.pool.connect();
    /** Adds a report of each of these cases by each of so many people. Returns how many rows of reports were read for it. */
    const rowsReadFor = async (cases: string, people: number, name: string) => {
      await client.query('BEGIN');
      const read = async () => {
        const { rows } = await client.query<{ read: string }>(
          `SELECT coalesce(seq_tup_read, 0) + coalesce(idx_tup_fetch, 0) AS read FROM pg_stat_xact_user_tables
          WHERE relid = 'cases.report'::regclass`,
        );
        return Number(rows[0]?.read);
      };
      const before = await read();
      await client.query(
        `INSERT INTO cases.report (report_id, case_id, position, reporter_actor_id, reason, at)
        SELECT $3 || case_id || n, case_id, 2000000 + n, $3 || n, 'spam', 0
        FROM cases.summary CROSS JOIN generate_series(1, $2::integer) n WHERE case_id LIKE $1`,
        [cases, people, name],
      );
      const after = await read();
      await client.query('COMMIT');
      return after - before;
    };
    try {
      await rowsReadFor(crowded, 2_000, 'many');
      await rowsReadFor('post-open%', 1, 'first');
      await client.query('ANALYZE cases.report');
      expect(await rowsReadFor('post-open%', 1, 'second')).toBeGreaterThanOrEqual(4_000);
      expect(await rowsReadFor('post-open7', 1, 'third')).toBeLessThan(10);
      expect(await rowsReadFor(crowded, 1, 'one more')).toBeLessThan(10);
    } finally {
      client.release();
    }
  });
});
