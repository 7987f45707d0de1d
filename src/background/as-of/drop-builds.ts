import type { ClientBase } from 'pg';
import type { Logger } from 'pino';
import type { Versions } from '../../../projections/runner/projection.js';
import { dropIncarnation } from '../../../projections/incarnations/incarnation.js';

/** Bounds the disk: each build may be as large as the published read models. */
export const MAX_KEPT_BUILDS = 3;

interface Row {
  readonly position: string | null;
  readonly incarnation: string | null;
  readonly schema_name: string | null;
}

/**
 * Builds that nobody worked on since $1, those beyond the newest $2, an unfinished one of other versions than $3, and
 * incarnations without the row of a build.
 */
const expiredSql = `
  SELECT position::text, incarnation, schema_name FROM (
    SELECT as_of.*, count(*) FILTER (WHERE state = 'built') OVER (ORDER BY updated_at DESC) AS newer
    FROM recovery.as_of) AS build
  LEFT JOIN recovery.incarnation USING (incarnation)
  WHERE updated_at < $1 OR state = 'built' AND newer > $2 OR state = 'building' AND versions <> $3
  UNION ALL
  SELECT NULL, incarnation, schema_name FROM recovery.incarnation
  WHERE versions ? 'as_of' AND NOT EXISTS (SELECT FROM recovery.as_of WHERE as_of.incarnation = incarnation.incarnation)`;

export interface DropOptions {
  readonly before: Date;
  readonly versions: Versions;
  readonly logger: Pick<Logger, 'info'>;
}

/** Drops as-of builds that were made, failed or were abandoned before `before`. The caller holds the lock of the builds. */
export async function dropBuilds(
  client: ClientBase,
  { before, versions, logger }: DropOptions,
): Promise<void> {
  const { rows } = await client.query<Row>(expiredSql, [before, MAX_KEPT_BUILDS, versions]);
  for (const { position, incarnation, schema_name: schemaName } of rows) {
    if (incarnation === null || schemaName === null)
      await client.query('DELETE FROM recovery.as_of WHERE position = $1::numeric', [position]);
    else await dropIncarnation(client, { incarnation, schemaName });
    logger.info({ position, incarnation }, 'dropped an as-of build whose time is over');
  }
}
