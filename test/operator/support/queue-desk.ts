import { posts } from '../../../projections/posts/posts.projection.js';
import { relations } from '../../../projections/relations/relations.projection.js';
import { systemIds } from '../../../src/base/support/id-generator.js';
import type { ReportReason } from '../../../src/domain/report/report-reasons.js';
import { streams } from '../../../src/log/streams.js';
import { some } from '../../projections/support/recorded.js';
import type { CaseDesk } from './case-desk.js';

/** Reports and published read models, for the queue of a {@link CaseDesk}. */
export class QueueDesk {
  constructor(private readonly cases: CaseDesk) {}

  private get pool() {
    return this.cases.desk.services.pool;
  }

  /** Reports of one post by these people, each in their turn. Returns the id of the case. */
  async reported(reason: ReportReason, by: readonly string[] = ['ada'], at = 1_000, author?: string) {
    const { desk } = this.cases;
    const targetActorId = author ?? (await desk.account());
    const postId = await desk.post(targetActorId);
    await this.report(postId, targetActorId, reason, by, at);
    return `post-${postId}`;
  }

  async report(
    postId: string,
    targetActorId: string,
    reason: ReportReason,
    by: readonly string[],
    at = 1_000,
  ): Promise<void> {
    const { desk } = this.cases;
    for (const reporterActorId of by) {
      const reportId = systemIds.random();
      const data = { targetActorId, postId, reporterActorId, reason, at };
      await desk.given(streams.report(reportId), some.report(reportId, data));
    }
    await desk.follow();
  }

  /** Makes the tables of posts and relations of the published incarnation. */
  async publish(): Promise<void> {
    await this.pool.query(
      `BEGIN; CREATE SCHEMA inc_i; SET LOCAL search_path TO inc_i; ${posts.tables}; ${relations(1).tables}; COMMIT`,
    );
  }

  async post(caseId: string, appId: string): Promise<void> {
    await this.pool.query(
      `INSERT INTO inc_i.post (id, position, author_actor_id, app_id, text, audience, status, revision, created_at)
      VALUES ($1, 1, 'bob', $2, '', 'public', 'published', 0, 0)`,
      [caseId.slice('post-'.length), appId],
    );
  }

  /** Everybody among these follows everybody. */
  async befriend(people: readonly string[]): Promise<void> {
    await this.pool.query(
      `INSERT INTO inc_i.relation (actor_id, kind, target_id, target_actor_id, generation, created_at, position)
      SELECT one, 'follow', other, other, 1, 0, 1 FROM unnest($1::text[]) one CROSS JOIN unnest($1::text[]) other
      WHERE one <> other`,
      [people],
    );
  }

  /** So many open cases, and as many decided ones, without events. */
  async fill(count: number): Promise<void> {
    await this.pool.query(
      `INSERT INTO cases.summary (case_id, post_id, target_actor_id, status, reports, reasons, newest_report,
        opened_position, opened_at, urgency)
      SELECT 'post-' || status || n, status || n, 'author' || n % 1000, status, 1, '{spam}', n, 1000000 + n, n, 11 + n % 30
      FROM generate_series(1, $1::integer) n CROSS JOIN (VALUES ('open'), ('decided')) AS each(status)`,
      [count],
    );
    await this.pool.query('ANALYZE cases.summary');
  }
}
