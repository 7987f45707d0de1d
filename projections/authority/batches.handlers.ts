import type { Handlers, Statement } from '../runner/projection.js';

interface NewBatchRow {
  readonly batch_id: string;
  readonly kind: string;
  readonly app_id: string | undefined;
  readonly items: number;
  readonly operator_id: string | undefined;
  readonly reason: string | undefined;
  readonly requested_at: number;
  readonly revision: string;
}

const addBatch: Statement<NewBatchRow> = {
  name: 'batch.add',
  table: 'batch',
  key: ({ batch_id }) => batch_id,
  sql: `
    INSERT INTO authority.batch (batch_id, kind, app_id, items, operator_id, reason, requested_at, state, revision)
    SELECT batch_id, kind, app_id, items, operator_id, reason, requested_at, 'applying', revision
    FROM json_to_recordset($1) AS row(batch_id text, kind text, app_id text, items integer, operator_id text,
      reason text, requested_at bigint, revision bigint)
    ON CONFLICT (batch_id) DO NOTHING`,
};

interface BatchStateRow {
  readonly batch_id: string;
  readonly state: 'applied' | 'undoing' | 'undone';
  readonly revision: string;
}

const setBatchState: Statement<BatchStateRow> = {
  name: 'batch.state',
  table: 'batch',
  key: ({ batch_id }) => batch_id,
  sql: `
    UPDATE authority.batch SET state = row.state, revision = row.revision,
      done = CASE WHEN row.state = 'undoing' THEN 0 ELSE batch.items END
    FROM json_to_recordset($1) AS row(batch_id text, state text, revision bigint)
    WHERE batch.batch_id = row.batch_id AND batch.revision < row.revision`,
};

export const batchHandlers: Handlers = {
  'batch.requested': ({ event: { data }, metadata, revision }, write) =>
    write(addBatch, {
      batch_id: data.batchId,
      kind: data.kind,
      app_id: data.appId,
      items: data.items.length,
      operator_id: metadata.operatorId,
      reason: metadata.reason,
      requested_at: data.at,
      revision: String(revision),
    }),
  'batch.applied': ({ event: { data }, revision }, write) =>
    write(setBatchState, { batch_id: data.batchId, state: 'applied', revision: String(revision) }),
  'batch.undo_requested': ({ event: { data }, revision }, write) =>
    write(setBatchState, { batch_id: data.batchId, state: 'undoing', revision: String(revision) }),
  'batch.undone': ({ event: { data }, revision }, write) =>
    write(setBatchState, { batch_id: data.batchId, state: 'undone', revision: String(revision) }),
};
