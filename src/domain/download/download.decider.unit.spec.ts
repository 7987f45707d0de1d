import { describe, expect, it } from '@jest/globals';
import { beginDownload, evolveDownloads, nextDownloadAt, noDownloads } from './download.js';
import type { Downloads } from './download.js';
import type { DownloadBegun } from './events.js';

const HOUR_MS = 3_600_000;

/** Tries to begin a download at each of these hours. Returns those at which one began. */
function begunAt(...hours: readonly number[]): readonly number[] {
  let state: Downloads = noDownloads;
  return hours.filter((hour) => {
    const at = hour * HOUR_MS;
    const decided = beginDownload(state, { actorId: 'ada', downloadId: `d${hour}`, at });
    const events = decided as readonly DownloadBegun[];
    for (const event of events) state = evolveDownloads(state, event);
    return events.length > 0;
  });
}

describe('downloads of a person', () => {
  it('begin twice within 24 hours, and again 24 hours after the first of these two', () => {
    expect(begunAt(1, 2, 3, 24, 25, 25.5, 26, 27)).toEqual([1, 2, 25, 26]);
  });

  it('say when the next may begin', () => {
    const [first, second] = [10 * HOUR_MS, 20 * HOUR_MS];
    expect(nextDownloadAt(noDownloads, first)).toBeUndefined();
    expect(nextDownloadAt([first], second)).toBeUndefined();
    expect(nextDownloadAt([first, second], second)).toBe(34 * HOUR_MS);
    expect(nextDownloadAt([first, second], 34 * HOUR_MS)).toBeUndefined();
  });

  it('are recorded with their extent', () => {
    expect(beginDownload(noDownloads, { actorId: 'ada', downloadId: 'd', at: 5 })).toEqual([
      {
        type: 'download.begun',
        data: { actorId: 'ada', downloadId: 'd', parts: ['events', 'inbox'], at: 5 },
      },
    ]);
  });
});
