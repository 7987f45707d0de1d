import { createHash } from 'node:crypto';
import type { Treatment } from '../../domain/event.js';
import { eventTypes, treatmentsOf } from '../../log/registry.js';
import type { EventType } from '../../log/registry.js';

export type ColumnType = 'integer' | 'text' | 'time' | 'boolean';

export interface Column {
  readonly name: string;
  readonly type: ColumnType;
  readonly isRequired?: true;
  readonly meaning: string;
}

const PSEUDONYM = 'pseudonym of';

const commonColumns: readonly Column[] = [
  { name: 'position', type: 'integer', isRequired: true, meaning: 'place of the event in the log; unique' },
  { name: 'event_id', type: 'text', isRequired: true, meaning: 'id of the event, as plaza audit prints it' },
  { name: 'type', type: 'text', isRequired: true, meaning: 'type of the event, such as post.created' },
  { name: 'occurred_at', type: 'time', isRequired: true, meaning: 'time of the event, UTC' },
  { name: 'by_actor_id', type: 'text', meaning: `${PSEUDONYM} the actor who caused the event` },
  { name: 'by_app_id', type: 'text', meaning: 'application through which the event was caused' },
  { name: 'by_grant_id', type: 'text', meaning: `${PSEUDONYM} the grant under which the event was caused` },
  { name: 'by_operator', type: 'boolean', isRequired: true, meaning: 'whether an operator caused the event' },
  { name: 'address_class', type: 'text', meaning: 'class of the network address of the request' },
];

/** Columns of fields with the treatment `id` or `clear`. */
export const fieldColumns: Readonly<Record<string, Column>> = {
  actorId: { name: 'actor_id', type: 'text', meaning: `${PSEUDONYM} the actor that the event is about` },
  appId: { name: 'app_id', type: 'text', meaning: 'application that the event is about' },
  grantId: { name: 'grant_id', type: 'text', meaning: `${PSEUDONYM} the grant` },
  postId: { name: 'post_id', type: 'text', meaning: `${PSEUDONYM} the post` },
  authorActorId: { name: 'author_actor_id', type: 'text', meaning: `${PSEUDONYM} the author of the post` },
  parentId: { name: 'parent_id', type: 'text', meaning: `${PSEUDONYM} the post that is replied to` },
  parentAuthorActorId: {
    name: 'parent_author_actor_id',
    type: 'text',
    meaning: `${PSEUDONYM} the author of the post that is replied to`,
  },
  rootId: { name: 'root_id', type: 'text', meaning: `${PSEUDONYM} the first post of the thread` },
  kind: { name: 'kind', type: 'text', meaning: 'kind of the relation: follow or like' },
  targetId: {
    name: 'target_id',
    type: 'text',
    meaning: `${PSEUDONYM} the followed actor or the liked post`,
  },
  targetActorId: {
    name: 'target_actor_id',
    type: 'text',
    meaning: `${PSEUDONYM} the followed, blocked or reported actor, or the author of the liked or reported post`,
  },
  generation: {
    name: 'generation',
    type: 'integer',
    meaning: 'number of times the relation was established',
  },
  revision: { name: 'revision', type: 'integer', meaning: 'revision of the post or profile, from 1' },
  cause: { name: 'cause', type: 'text', meaning: 'cause of the end of a relation or grant' },
  reportId: { name: 'report_id', type: 'text', meaning: `${PSEUDONYM} the report` },
  reporterActorId: { name: 'reporter_actor_id', type: 'text', meaning: `${PSEUDONYM} the reporter` },
  reason: { name: 'reason', type: 'text', meaning: 'reason of the report, of a fixed list' },
  caseId: { name: 'case_id', type: 'text', meaning: `${PSEUDONYM} the case` },
  decisionId: {
    name: 'decision_id',
    type: 'text',
    meaning: `${PSEUDONYM} the decision of a case, also of one whose effect the event is`,
  },
  batchId: {
    name: 'batch_id',
    type: 'text',
    meaning: `${PSEUDONYM} the batch, also of one that caused the event`,
  },
};

const dataColumn: Column = {
  name: 'data',
  type: 'text',
  meaning: 'JSON of the fields without a column; of an unknown type, all fields',
};
export const operatorColumn: Column = {
  name: 'by_operator_id',
  type: 'text',
  meaning: `${PSEUDONYM} the operator who caused the event; with --operators`,
};
const personalColumn: Column = {
  name: 'personal',
  type: 'text',
  meaning: 'JSON of the ciphertext of the personal fields, and of the id of its key',
};

export type Personal = 'none' | 'encrypted';

/** Fixed when a data set begins. `operators`: rows say which operator acted, by a pseudonym. */
export interface Contents {
  readonly personal: Personal;
  readonly operators?: boolean | undefined;
}

export const columnsOf = ({ personal, operators }: Contents): readonly Column[] => [
  ...commonColumns,
  ...Object.values(fieldColumns),
  dataColumn,
  ...(operators === true ? [operatorColumn] : []),
  ...(personal === 'encrypted' ? [personalColumn] : []),
];

export const allColumns = columnsOf({ personal: 'encrypted', operators: true });

export const fieldsOf = (type: EventType, ...wanted: readonly Treatment[]): readonly string[] =>
  Object.entries(treatmentsOf(type))
    .filter(([, treatment]) => wanted.includes(treatment))
    .map(([field]) => field);

/** Changes when another release would export an event as another row. The order of declarations does not count. */
export function shapeOf(contents: Contents): string {
  const treatments = eventTypes.flatMap((type) =>
    Object.entries(treatmentsOf(type)).map((treatment) => [type, ...treatment].join(' ')),
  );
  const shape = {
    columns: columnsOf(contents),
    treatments: treatments.toSorted(),
    eventTypes: eventTypes.toSorted(),
  };
  return createHash('sha256').update(JSON.stringify(shape)).digest('hex').slice(0, 16);
}
