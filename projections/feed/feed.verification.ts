import type { TableVerification } from '../runner/verification.js';

const HOUR_MS = 3_600_000;
const RETAINED_HOURS = 168;

const changesOf = (
  types: string,
  {
    seq = 0,
    owner,
    audience,
    kind = 'type',
    actor = owner,
    post = 'NULL::text',
    relation = 'NULL::text, NULL::text, NULL::text, NULL::integer',
    where = 'true',
  }: {
    readonly seq?: number;
    readonly owner: string;
    readonly audience: string;
    readonly kind?: string;
    readonly actor?: string;
    readonly post?: string;
    readonly relation?: string;
    readonly where?: string;
  },
): string => `
  SELECT position, revision * 4 + ${seq} AS seq, ${owner} AS owner_actor_id, '${audience}' AS audience, ${kind} AS kind,
    at, ${actor} AS actor_id, ${post} AS post_id, ${relation}
  FROM fact WHERE type IN (${types}) AND ${where}`;

const [actor, target, author] = [`data->>'actorId'`, `data->>'targetActorId'`, `data->>'authorActorId'`];
const post = `data->>'postId'`;
const RELATION = `data->>'kind', data->>'targetId', data->>'targetActorId', (data->>'generation')::integer`;
const [relations, blocks] = [
  `'relation.established', 'relation.ended'`,
  `'block.established', 'block.ended'`,
];
const reset = { audience: 'owner', kind: `'reset'` };
const resetOfAll = { audience: 'everybody', kind: `'reset'`, owner: `'*'` };

const CHANGES = `
  SELECT position, seq, owner_actor_id, audience, kind, at, actor_id, post_id, relation_kind, target_id,
    target_actor_id, generation
  FROM (${[
    changesOf(`'post.created', 'post.edited', 'post.deleted'`, { owner: author, audience: 'author', post }),
    changesOf(`'post.restricted'`, { owner: author, audience: 'author', post, kind: `'post.deleted'` }),
    changesOf(`'post.unrestricted'`, { ...resetOfAll, actor: author }),
    changesOf(`'profile.changed'`, {
      owner: actor,
      audience: 'author',
      where: `(data->>'revision')::integer > 1`,
    }),
    changesOf(relations, { owner: actor, audience: 'owner', relation: RELATION }),
    changesOf(`'relation.ended'`, { ...reset, seq: 1, owner: target, where: `${target} <> ${actor}` }),
    changesOf(blocks, { ...reset, owner: actor }),
    changesOf(blocks, { ...reset, seq: 1, owner: target }),
    changesOf(`'inbox.read'`, { owner: actor, audience: 'owner' }),
    changesOf(`'account.suspended', 'account.reinstated', 'account.erased'`, { ...resetOfAll, actor }),
  ].join(' UNION ALL ')}
  ) AS change(position, seq, owner_actor_id, audience, kind, at, actor_id, post_id, relation_kind, target_id,
    target_actor_id, generation)`;

const BEGINS = '(SELECT coalesce(min(position), 0) FROM folded_hour)';

export const feedVerifications: readonly TableVerification[] = [
  {
    table: 'feed_hour',
    key: ['hour'],
    materializeAs: 'folded_hour',
    expected: `
      SELECT * FROM (
        SELECT at / ${HOUR_MS} AS hour, min(position) AS position FROM (${CHANGES}) change GROUP BY 1
      ) known
      WHERE hour > (SELECT max(at) / ${HOUR_MS} FROM (${CHANGES}) change) - ${RETAINED_HOURS}`,
    actual: 'SELECT hour, position FROM feed_hour',
  },
  {
    table: 'feed_window',
    key: ['begins'],
    expected: `
      SELECT CASE WHEN EXISTS (
          SELECT FROM (${CHANGES}) change
          WHERE at / ${HOUR_MS} <= (SELECT max(hour) FROM folded_hour) - ${RETAINED_HOURS})
        THEN (SELECT min(position) FROM folded_hour) ELSE 0 END AS begins`,
    actual: 'SELECT begins FROM feed_window',
  },
  {
    table: 'change',
    key: ['position', 'seq'],
    expected: `
      SELECT * FROM (${CHANGES}) change WHERE position >= ${BEGINS}`,
    // Rows before the window are never read and are deleted bit by bit.
    actual: `
      SELECT position, seq, owner_actor_id, audience, kind, at, actor_id, post_id, relation_kind, target_id,
        target_actor_id, generation
      FROM change WHERE position >= ${BEGINS}`,
  },
];
