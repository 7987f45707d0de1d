import type { Recorded } from '../../src/log/recorded.js';
import { personalFieldsOf } from '../../src/log/registry.js';
import type { StoredEvent } from '../../src/log/registry.js';

/** Ids that an event names, by field: `{postId: …, authorActorId: …}`. */
export type Subject = Readonly<Record<string, string>>;

/** What can be asked for. */
export const kinds = ['actor', 'post', 'app', 'grant'] as const;
export type Kind = (typeof kinds)[number];

export interface About {
  readonly kind: Kind;
  readonly id: string;
}

/** Every field of an event that is an id and nobody's secret, so that a new type of event is audited without a line here. */
export function subjectOf({ type, data }: StoredEvent): Subject {
  const personal = personalFieldsOf(type);
  return Object.fromEntries(
    Object.entries(data).filter(
      (field): field is [string, string] =>
        field[0].endsWith('Id') && typeof field[1] === 'string' && !personal.includes(field[0]),
    ),
  );
}

/** Whom and what an event is about: who did it and through what, and whom and what it names. Each once. */
export function aboutOf({ event, metadata }: Recorded): readonly About[] {
  const { actorId, appId, grantId } = metadata;
  const named = [...Object.entries({ actorId, appId, grantId }), ...Object.entries(subjectOf(event))];
  const found = new Map<string, About>();
  for (const [field, id] of named) {
    const kind = kindOf(field, event);
    if (kind && id !== undefined) found.set(`${kind} ${id}`, { kind, id });
  }
  return [...found.values()];
}

/** A reply is not about the post that it answers, but a like of it is. */
function kindOf(field: string, { data }: StoredEvent): Kind | undefined {
  if (/actorId$/i.test(field)) return 'actor';
  if (field === 'postId' || (field === 'targetId' && 'kind' in data && data.kind === 'like')) return 'post';
  if (field === 'appId') return 'app';
  return field === 'grantId' ? 'grant' : undefined;
}
