import { peopleOf } from '../../../projections/audit/event.read-model.js';
import type { AuditSearch, SubjectKind } from '../../../projections/audit/audit.read-model.js';
import { RecordLook } from '../../commands/operator/operator-looks.js';
import type { LookSubject } from '../../commands/operator/operator-looks.js';
import type { Recorded } from '../../log/recorded.js';
import { subjectsInName } from '../../log/streams.js';
import type { ActContext } from '../desk/act.js';
import { operatorIdOf } from '../desk/caller.js';

type LookContext = Pick<ActContext, 'services' | 'caller' | 'metadata'>;

/** The look at an answer that is not narrowed to a subject. */
export const everything: LookSubject = {};

/** Call it before the answer is sent. Each subject is recorded once in an hour. @throws errors of the log. */
export async function recordLooks(
  { services, caller, metadata }: LookContext,
  subjects: readonly LookSubject[],
): Promise<void> {
  const operatorId = operatorIdOf(caller) ?? '';
  await Promise.all(
    subjects.map((subject) => services.commands.execute(new RecordLook(operatorId, subject, metadata))),
  );
}

/** Acts of operators are open to every operator who reads the audit, so an operator is no subject of a look. */
const idField: Readonly<Partial<Record<SubjectKind, keyof LookSubject>>> = {
  actor: 'actorId',
  app: 'appId',
  grant: 'grantId',
  post: 'postId',
};

/** The id of a request or intent may be that of several people. */
const MAX_PEOPLE = 10;

/** Records a search under the ids that it names; a request that the audit does not have shows nobody. */
export async function recordSearch(context: LookContext, search: AuditSearch): Promise<void> {
  const named = (search.about ?? []).flatMap(({ kind, id }) => {
    const field = idField[kind];
    return field === undefined ? [] : [{ [field]: id }];
  });
  const isOfRequest = search.request !== undefined || search.intent !== undefined;
  const ofRequest = isOfRequest ? await peopleIn(context, search) : [];
  const isNarrow = isOfRequest || named.length > 0;
  await recordLooks(context, isNarrow ? [...named, ...ofRequest] : [everything]);
}

async function peopleIn({ services }: LookContext, search: AuditSearch): Promise<readonly LookSubject[]> {
  const { people, isMore } = await peopleOf(services.pool, search, MAX_PEOPLE);
  const each = people.map(({ eventId, actorId }) => (actorId === null ? { eventId } : { eventId, actorId }));
  return isMore ? [...each, everything] : each;
}

/** Records a page of a stream: under the ids in its name, else under the one post or person that its events are about. */
export async function recordStream(
  context: LookContext,
  stream: string,
  recorded: readonly Recorded[],
): Promise<void> {
  const found = recorded.flatMap(({ event: { data } }) => subjectOf({ ...data }) ?? []);
  const [one, ...others] = new Map(found.map((each) => [JSON.stringify(each), each])).values();
  const ofEvents = one && others.length === 0 ? one : everything;
  await recordLooks(context, subjectsInName(stream) ?? [ofEvents]);
}

function subjectOf(data: Readonly<Record<string, unknown>>): LookSubject | undefined {
  const { postId, targetActorId, actorId = targetActorId } = data;
  if (typeof postId === 'string') return { postId };
  return typeof actorId === 'string' ? { actorId } : undefined;
}
