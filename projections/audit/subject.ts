import type { Recorded } from '../../src/log/recorded.js';
import { personalFieldsOf } from '../../src/log/registry.js';
import type { StoredEvent } from '../../src/log/registry.js';

export type EventIds = Readonly<Record<string, string>>;

/** `claimed`: a name that the client of an operator sent, which nothing proves. */
export type SubjectKind = 'actor' | 'post' | 'app' | 'grant' | 'operator' | 'claimed';

export interface AuditSubject {
  readonly kind: SubjectKind;
  readonly id: string;
}

/**
 * Returns the fields of an event's data whose name ends in `Id`, unless they are personal. So new event types need no
 * entry here.
 */
export function eventIdsOf({ type, data }: StoredEvent): EventIds {
  const personal = personalFieldsOf(type);
  return Object.fromEntries(
    Object.entries(data).filter(
      (field): field is [string, string] =>
        field[0].endsWith('Id') && typeof field[1] === 'string' && !personal.includes(field[0]),
    ),
  );
}

/**
 * Returns each subject of an event once: the actor, application, grant and operator that caused it, and the ids in its
 * data. The name that an operator's client claimed is a subject of its own kind: it could be the id or name of another.
 */
export function auditSubjectsOf({ event, metadata }: Recorded): readonly AuditSubject[] {
  const { actorId, appId, grantId, operatorId, operator } = metadata;
  const fields = [
    ...Object.entries({ actorId, appId, grantId, operatorId, operator }),
    ...Object.entries(eventIdsOf(event)),
  ];
  const subjects = new Map<string, AuditSubject>();
  for (const [field, id] of fields) {
    const kind = kindOf(field, event);
    if (kind && id !== undefined) subjects.set(`${kind} ${id}`, { kind, id });
  }
  return [...subjects.values()];
}

/**
 * Returns the kind of subject that a field names; undefined: none. A reply is not about its parent post, but a like is
 * about the liked post.
 */
function kindOf(field: string, { data }: StoredEvent): SubjectKind | undefined {
  if (/actorId$/i.test(field)) return 'actor';
  if (field === 'postId' || (field === 'targetId' && 'kind' in data && data.kind === 'like')) return 'post';
  if (field === 'appId') return 'app';
  if (field === 'operatorId') return 'operator';
  if (field === 'operator') return 'claimed';
  return field === 'grantId' ? 'grant' : undefined;
}

/** The name under which rollups count an event: its type, and the kind of a relation. */
export function actOf({ type, data }: StoredEvent): string {
  return 'kind' in data ? `${type} (${data.kind})` : type;
}
