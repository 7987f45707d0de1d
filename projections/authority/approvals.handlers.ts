import type { ApprovalEvent } from '../../src/domain/approval/events.js';
import type { EventMetadata } from '../../src/log/recorded.js';
import type { Handlers, Statement, Write } from '../runner/projection.js';

interface FourEyesRow {
  readonly batch_items: number | null;
  readonly revision: string;
}

const setFourEyes: Statement<FourEyesRow> = {
  name: 'four_eyes.set',
  table: 'four_eyes',
  key: () => 'this',
  sql: `
    INSERT INTO authority.four_eyes (network, batch_items, revision)
    SELECT 'this', batch_items, revision FROM json_to_recordset($1) AS row(batch_items integer, revision bigint)
    ON CONFLICT (network) DO UPDATE SET batch_items = EXCLUDED.batch_items, revision = EXCLUDED.revision
    WHERE four_eyes.revision < EXCLUDED.revision`,
};

interface NewApprovalRow {
  readonly approval_id: string;
  readonly act: string;
  readonly content: string;
  readonly digest: string;
  readonly requested_by: string;
  readonly requested_at: number;
  readonly expires_at: number;
  readonly reason: string | undefined;
  readonly revision: string;
}

const addApproval: Statement<NewApprovalRow> = {
  name: 'approval.add',
  table: 'approval',
  key: ({ approval_id }) => approval_id,
  sql: `
    INSERT INTO authority.approval (approval_id, act, content, digest, requested_by, requested_at, expires_at, reason,
      state, revision)
    SELECT approval_id, act, content, digest, requested_by, requested_at, expires_at, reason, 'waiting', revision
    FROM json_to_recordset($1) AS row(approval_id text, act text, content text, digest text, requested_by text,
      requested_at bigint, expires_at bigint, reason text, revision bigint)
    ON CONFLICT (approval_id) DO NOTHING`,
};

interface ApprovalStateRow {
  readonly approval_id: string;
  readonly state: 'given' | 'refused' | 'voided' | 'used' | 'carried_out';
  readonly revision: string;
}

const setApprovalState: Statement<ApprovalStateRow> = {
  name: 'approval.state',
  table: 'approval',
  key: ({ approval_id }) => approval_id,
  sql: `
    UPDATE authority.approval SET state = row.state, revision = row.revision
    FROM json_to_recordset($1) AS row(approval_id text, state text, revision bigint)
    WHERE approval.approval_id = row.approval_id AND approval.revision < row.revision`,
};

interface DecidedApprovalRow extends ApprovalStateRow {
  readonly decided_by: string;
  readonly decided_at: number;
  readonly decision: string | undefined;
}

const decideApproval: Statement<DecidedApprovalRow> = {
  name: 'approval.decide',
  table: 'approval',
  key: ({ approval_id }) => approval_id,
  sql: `
    UPDATE authority.approval SET state = row.state, revision = row.revision, decided_by = row.decided_by,
      decided_at = row.decided_at, decision = row.decision
    FROM json_to_recordset($1) AS row(approval_id text, state text, revision bigint, decided_by text,
      decided_at bigint, decision text)
    WHERE approval.approval_id = row.approval_id AND approval.revision < row.revision`,
};

interface Decided {
  readonly event: { readonly data: Extract<ApprovalEvent, { type: 'approval.refused' }>['data'] };
  readonly metadata: EventMetadata;
  readonly revision: bigint;
}

const state =
  (to: ApprovalStateRow['state']) =>
  ({ event: { data }, revision }: Omit<Decided, 'metadata'>, write: Write): void =>
    write(setApprovalState, { approval_id: data.approvalId, state: to, revision: String(revision) });

const decision =
  (to: ApprovalStateRow['state']) =>
  ({ event: { data }, metadata, revision }: Decided, write: Write): void =>
    write(decideApproval, {
      approval_id: data.approvalId,
      state: to,
      revision: String(revision),
      decided_by: data.operatorId,
      decided_at: data.at,
      decision: metadata.reason,
    });

export const approvalHandlers: Handlers = {
  'operator.four_eyes_required': ({ event: { data }, revision }, write) =>
    write(setFourEyes, { batch_items: data.batchItems, revision: String(revision) }),
  'operator.four_eyes_lifted': ({ revision }, write) =>
    write(setFourEyes, { batch_items: null, revision: String(revision) }),
  'approval.requested': ({ event: { data }, metadata, revision }, write) =>
    write(addApproval, {
      approval_id: data.approvalId,
      act: data.act,
      content: data.content,
      digest: data.digest,
      requested_by: data.operatorId,
      requested_at: data.at,
      expires_at: data.expiresAt,
      reason: metadata.reason,
      revision: String(revision),
    }),
  'approval.given': decision('given'),
  'approval.refused': decision('refused'),
  'approval.voided': state('voided'),
  'approval.used': state('used'),
  'approval.carried_out': state('carried_out'),
};
