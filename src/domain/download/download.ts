import type { Decision } from '../refusal.js';
import type { DownloadBegun } from './events.js';

/** A person may begin so many downloads within 24 hours: each reads all that they ever did. */
export const MAX_DOWNLOADS = 2;
const DAY_MS = 24 * 60 * 60_000;

/** When the newest downloads of a person began, oldest first: {@link MAX_DOWNLOADS} at most. Unix milliseconds. */
export type Downloads = readonly number[];

export const noDownloads: Downloads = [];

export const evolveDownloads = (begun: Downloads, { data }: DownloadBegun): Downloads =>
  [...begun, data.at].slice(-MAX_DOWNLOADS);

/** When the next may begin, Unix milliseconds. Undefined: now. */
export function nextDownloadAt(begun: Downloads, now: number): number | undefined {
  const [oldest = now] = begun;
  return begun.length === MAX_DOWNLOADS && oldest + DAY_MS > now ? oldest + DAY_MS : undefined;
}

/** Changes nothing if the person must wait. */
export function beginDownload(
  begun: Downloads,
  { actorId, downloadId, at }: Omit<DownloadBegun['data'], 'parts'>,
): Decision<DownloadBegun> {
  if (nextDownloadAt(begun, at) !== undefined) return [];
  return [{ type: 'download.begun', data: { actorId, downloadId, parts: ['events', 'inbox'], at } }];
}
