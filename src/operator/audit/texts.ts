import type { AuditedEvent } from '../../../projections/audit/audit.read-model.js';
import type { PublicPosts } from '../../doors/api/admission/public-posts.js';
import type { EventLog } from '../../log/event-log.js';
import type { Recorded } from '../../log/recorded.js';
import { hasTextOfPerson } from './disclose.js';

/**
 * `erased`: the key of the person is destroyed. `undisclosed`: the event has texts of a person, and not everybody can read
 * them here (src/operator/audit/disclose.ts).
 */
export type AuditedText =
  | { readonly text: string }
  | { readonly erased: true }
  | { readonly undisclosed: true };

/**
 * Reads the texts that audited events wrote, by event id: of each, only if anybody can read it now.
 * @throws {LogUnavailable}
 */
export async function readTexts(
  log: EventLog,
  publicPosts: PublicPosts,
  audited: readonly AuditedEvent[],
): Promise<ReadonlyMap<string, AuditedText>> {
  const written = audited.filter(({ type }) => hasTextOfPerson(type) || withFacts.has(type));
  const streams = Map.groupBy(written, ({ stream }) => stream);
  const read = await Promise.all(
    [...streams].flatMap(([stream, events]) => runsOf(events).map((run) => eventsIn(log, stream, run))),
  );
  const wanted = new Set(written.map(({ eventId }) => eventId));
  const recorded = read.flat().filter(({ id }) => wanted.has(id));
  const versions = await publicPosts.versionsOf(recorded.flatMap((each) => versionOf(each)?.postId ?? []));
  return new Map(recorded.map((each) => [each.id, textOf(each, versions)]));
}

/** Types whose facts about operators are shown as a text, which everybody may read who reads the audit. */
const withFacts: ReadonlySet<string> = new Set([
  'operator.invited',
  'operator.roles_changed',
  'audit.exported',
]);

function textOf(
  recorded: Recorded,
  versions: ReadonlyMap<string, { readonly revision: number }>,
): AuditedText {
  if (recorded.erased) return { erased: true };
  const { event } = recorded;
  if (event.type === 'operator.invited' || event.type === 'operator.roles_changed')
    return { text: `roles: ${event.data.roles.join(', ')}` };
  if (event.type === 'audit.exported') return { text: `search: ${event.data.query || 'everything'}` };
  const version = versionOf(recorded);
  const isPublic = version && versions.get(version.postId)?.revision === version.revision;
  return isPublic ? { text: version.text } : { undisclosed: true };
}

function versionOf({ event }: Recorded) {
  if (event.type === 'post.edited') return event.data;
  return event.type === 'post.created' ? { ...event.data, revision: 1 } : undefined;
}

interface Run {
  readonly from: bigint;
  readonly to: bigint;
}

const MAX_GAP = 16n;

/** Revisions to read at once. Events far apart are read apart: a filter may leave two of a stream of thousands. */
export function runsOf(events: readonly Pick<AuditedEvent, 'revision'>[]): readonly Run[] {
  const runs: Run[] = [];
  for (const revision of events.map((event) => event.revision).toSorted(ascending)) {
    const last = runs.at(-1);
    if (last && revision - last.to <= MAX_GAP) runs[runs.length - 1] = { from: last.from, to: revision };
    else runs.push({ from: revision, to: revision });
  }
  return runs;
}

const ascending = (a: bigint, b: bigint): number => (a < b ? -1 : Number(a > b));

const eventsIn = (log: EventLog, stream: string, { from, to }: Run): Promise<readonly Recorded[]> =>
  log.read(stream, { from, limit: Number(to - from) + 1 });
