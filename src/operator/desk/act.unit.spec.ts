import { expect, it } from '@jest/globals';
import { z } from 'zod';
import { act } from './act.js';

it('an act that answers otherwise than its row says fails in a test', async () => {
  const row = act({
    name: 'test.read',
    may: 'anyone',
    route: 'GET /operator/test',
    answer: z.strictObject({ isListed: z.boolean() }),
    run: async () => ({ isListed: true, unlisted: 1 }),
  });
  await expect(row.run(undefined, {} as never)).rejects.toThrow('unlisted');
});
