import type { AuditedEvent } from '../../../projections/audit/audit.read-model.js';
import type { PublicPosts } from '../../http/admission/public-posts.js';
import type { EventLog } from '../../log/event-log.js';
import type { Recorded } from '../../log/recorded.js';
import { personalFieldsOf } from '../../log/registry.js';

/** `erased`: the key of the author is destroyed. `undisclosed`: the text is not public (src/operator/audit/disclose.ts). */
export type AuditedText =
  { readonly text: string } | { readonly erased: true } | { readonly undisclosed: true };

/**
 * Reads the texts that audited events wrote, by event id: of each, only if anybody can read it now.
 * @throws {LogUnavailable}
 */
export async function readTexts(
  log: EventLog,
  publicPosts: PublicPosts,
  audited: readonly AuditedEvent[],
): Promise<ReadonlyMap<string, AuditedText>> {
  const written = audited.filter(({ type }) => personalFieldsOf(type).includes('text'));
  const streams = Map.groupBy(written, ({ stream }) => stream);
  const read = await Promise.all([...streams].map(([stream, events]) => eventsIn(log, stream, events)));
  const wanted = new Set(written.map(({ eventId }) => eventId));
  const recorded = read.flat().filter(({ id }) => wanted.has(id));
  const revisions = await publicPosts.revisionsOf(recorded.flatMap((each) => versionOf(each)?.postId ?? []));
  return new Map(recorded.map((each) => [each.id, textOf(each, revisions)]));
}

function textOf(recorded: Recorded, revisions: ReadonlyMap<string, number>): AuditedText {
  if (recorded.erased) return { erased: true };
  const version = versionOf(recorded);
  const isPublic = version && revisions.get(version.postId) === version.revision;
  return isPublic ? { text: version.text } : { undisclosed: true };
}

/** The version of a post that an event wrote. */
function versionOf({ event }: Recorded) {
  if (event.type === 'post.edited') return event.data;
  return event.type === 'post.created' ? { ...event.data, revision: 1 } : undefined;
}

async function eventsIn(
  log: EventLog,
  stream: string,
  events: readonly AuditedEvent[],
): Promise<readonly Recorded[]> {
  const revisions = events.map(({ revision }) => revision);
  const first = revisions.reduce((least, each) => (each < least ? each : least));
  const last = revisions.reduce((most, each) => (each > most ? each : most));
  return log.read(stream, { from: first, limit: Number(last - first) + 1 });
}
