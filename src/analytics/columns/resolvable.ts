import { fieldColumns } from './columns.js';

export type ResolvedKind = 'actor' | 'post' | 'grant' | 'report';

export interface Resolved {
  readonly kind: ResolvedKind;
  readonly id: string;
}

interface Ids {
  readonly actorId: string | null;
  readonly grantId: string | null;
  readonly subject: Readonly<Record<string, string>>;
}

/** Kinds of the ids of fields; `targetId` is an actor or a post. */
const kindOfField: Readonly<Record<string, ResolvedKind | 'target'>> = {
  actorId: 'actor',
  authorActorId: 'actor',
  parentAuthorActorId: 'actor',
  targetActorId: 'actor',
  reporterActorId: 'actor',
  postId: 'post',
  parentId: 'post',
  rootId: 'post',
  grantId: 'grant',
  reportId: 'report',
  targetId: 'target',
};

const fieldOf: ReadonlyMap<string, string> = new Map(
  Object.keys(kindOfField).map((field) => [fieldColumns[field]?.name ?? '', field]),
);
const ofMetadata: Readonly<
  Record<string, { readonly kind: ResolvedKind; readonly field: 'actorId' | 'grantId' }>
> = {
  by_actor_id: { kind: 'actor', field: 'actorId' },
  by_grant_id: { kind: 'grant', field: 'grantId' },
};

export const resolvableColumns: readonly string[] = [...Object.keys(ofMetadata), ...fieldOf.keys()];

/** The id of which a row of this event has the pseudonym in this column; undefined: the event has none there. */
export function resolveColumn(column: string, { subject, ...metadata }: Ids): Resolved | undefined {
  const caused = ofMetadata[column];
  if (caused) {
    const id = metadata[caused.field];
    return id === null ? undefined : { kind: caused.kind, id };
  }
  const field = fieldOf.get(column) ?? '';
  const [id, kind] = [subject[field], kindOfField[field]];
  if (id === undefined || kind === undefined) return undefined;
  if (kind !== 'target') return { kind, id };
  return { kind: id === subject['targetActorId'] ? 'actor' : 'post', id };
}
