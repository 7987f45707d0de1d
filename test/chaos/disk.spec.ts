import { afterEach, describe, expect, it } from '@jest/globals';
import { canHaveFailingDisk } from '../support/failing-disk.js';
import { chaos, clearUp, nothing } from './support/run-chaos.js';

afterEach(clearUp);

(canHaveFailingDisk ? describe : describe.skip)(
  'a disk below the event store that fails (needs root, loop devices and ext4)',
  () => {
    it('loses no acknowledged event once it is replaced', async () => {
      const named = ['--disk', 'failing disk below the event store', '--rounds', '1'];
      const { code, lines } = await chaos([...named, '--seed', '1']);
      expect({ code, found: lines.at(-1)?.['found'] }).toEqual({ code: 0, found: nothing });
      // No write succeeds while the disk fails, and /readyz reports it.
      const [times, round] = lines.slice(2);
      expect(times).toMatchObject({ unreadyMs: expect.any(Number), readyAgainMs: expect.any(Number) });
      expect(Number(round?.['writesGoneMs'])).toBeGreaterThan(4_000);
      expect(lines).toHaveLength(5);
    });
  },
);
