import { describe, expect, it } from '@jest/globals';
import { execFileSync } from 'node:child_process';
import { localTime } from './local-time.js';

describe('local time', () => {
  it('is the time of the process’ zone, also on either side of a clock change', () => {
    // A process has one zone, so that each is asked in a process of its own.
    const inZone = (TZ: string, ms: number) =>
      execFileSync(process.execPath, ['-e', `console.log((${localTime.toString()})(${ms}))`], {
        env: { TZ },
      })
        .toString()
        .trim();
    const clockChange = Date.UTC(2026, 2, 29, 1);
    expect(inZone('UTC', clockChange)).toBe('2026-03-29 01:00:00.000');
    expect(inZone('Europe/Berlin', clockChange - 1)).toBe('2026-03-29 01:59:59.999');
    expect(inZone('Europe/Berlin', clockChange)).toBe('2026-03-29 03:00:00.000');
    expect(inZone('Asia/Kathmandu', clockChange)).toBe('2026-03-29 06:45:00.000');
  });
});
