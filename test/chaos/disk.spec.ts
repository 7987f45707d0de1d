import { afterEach, describe, expect, it } from '@jest/globals';
import { canHaveFailingDisk } from '../support/failing-disk.js';
import { chaos, clearUp, nothing } from './support/run-chaos.js';

afterEach(clearUp);

(canHaveFailingDisk ? describe : describe.skip)(
  'a disk below the event store that fails (needs root, loop devices and ext4)',
  () => {
    it('loses nothing that was acknowledged, once it is replaced', async () => {
      const { code, lines } = await chaos(['--disk', 'failing disk below the event store', '--seed', '1']);
      expect({ code, found: lines.at(-1)?.['found'] }).toEqual({ code: 0, found: nothing });
      // While it fails nothing can be written.
      for (const round of lines.slice(2, 4)) expect(Number(round['writesGoneMs'])).toBeGreaterThan(4_000);
      expect(lines).toHaveLength(5);
    });
  },
);
