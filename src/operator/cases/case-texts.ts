import { z } from 'zod';
import type { ListedReport } from '../../../projections/cases/cases.read-model.js';
import { postOfEvents } from '../../commands/post/post-outcome.js';
import type { CaseSubject } from '../../domain/case/events.js';
import type { EventLog } from '../../log/event-log.js';
import type { Recorded } from '../../log/recorded.js';
import { streams } from '../../log/streams.js';

const VERSIONS = 10;

/** A personal text of an event. `erased`: the key of its author is destroyed. */
export const shownText = z.strictObject({
  eventId: z.string(),
  at: z.number(),
  text: z.string(),
  erased: z.boolean(),
});

export type ShownText = z.infer<typeof shownText>;

/** A report; to the operator who has claimed its case with the rest. */
export const shownReport = shownText.partial().extend({
  reportId: z.string(),
  reason: z.string(),
  at: z.number(),
  isClosed: z.boolean(),
  reporterActorId: z.string().optional(),
});

export type ShownReport = z.infer<typeof shownReport>;

const textOf = ({ id, event, erased }: Recorded, text: string): ShownText => ({
  eventId: id,
  at: event.data.at,
  text,
  erased,
});

/** The post with its newest versions, whether or not anybody else sees it. */
export async function postTexts(log: EventLog, { postId }: CaseSubject) {
  if (postId === undefined) return undefined;
  const past = await log.read(streams.post(postId));
  const { status } = postOfEvents(past);
  const versions = past.flatMap((recorded) =>
    recorded.event.type === 'post.created' || recorded.event.type === 'post.edited'
      ? [textOf(recorded, recorded.event.data.text)]
      : [],
  );
  return { status, versions: versions.slice(-VERSIONS) };
}

export async function profileText(
  log: EventLog,
  { targetActorId }: CaseSubject,
): Promise<ShownText | undefined> {
  const newest = { limit: 1, direction: 'backwards' } as const;
  const [changed] = await log.read(streams.profile(targetActorId), newest);
  const [recorded] = changed ? [changed] : await log.read(streams.account(targetActorId), { limit: 1 });
  if (recorded?.event.type === 'profile.changed') {
    const { displayName, handle, bio, website } = recorded.event.data;
    return textOf(
      recorded,
      [displayName, handle ?? '', bio, website].filter((line) => line !== '').join('\n'),
    );
  }
  if (recorded?.event.type !== 'account.registered') return undefined;
  const { displayName, handle } = recorded.event.data;
  return textOf(recorded, `${displayName}\n${handle}`);
}

export async function reportTexts(log: EventLog, listed: readonly ListedReport[]) {
  const found = await Promise.all(
    listed.map(({ reportId }) => log.read(streams.report(reportId), { limit: 1 })),
  );
  return found.flat().flatMap((recorded) => {
    if (recorded.event.type !== 'report.created') return [];
    const { reportId, text, reporterActorId, reason } = recorded.event.data;
    const isClosed = listed.some((each) => each.reportId === reportId && each.isClosed);
    return [{ reportId, reason, isClosed, reporterActorId, ...textOf(recorded, text) }];
  });
}
