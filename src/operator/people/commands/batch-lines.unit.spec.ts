import { expect, it } from '@jest/globals';
import { idsAlone } from '../../client/names-in-lines.js';
import { batchLines } from './batch-lines.js';

const ids = Array.from({ length: 25 }, (_, n) => `id-${n}`);

it('names twenty of the skipped and recused items, and says how many more there are', () => {
  const asked: string[] = [];
  const named = (_noun: string, id: string) => {
    asked.push(id);
    return id;
  };
  const lines = batchLines(
    {
      batchId: 'b',
      kind: 'posts',
      appId: null,
      items: 10_001,
      done: 10_001,
      state: 'applied',
      operatorId: 'o',
      operatorName: null,
      reason: 'spam',
      requestedAt: 0,
      applied: {
        changed: 0,
        skipped: [...ids, ...Array.from({ length: 9_976 }, (_, n) => `other-${n}`)],
        recused: ids,
      },
      undo: null,
      undone: null,
      openCases: [],
    },
    { ...idsAlone, named },
  );
  expect(lines).toContainEqual(expect.stringMatching(/acted on them: other-0, .*, other-19 and 9956 more$/));
  expect(lines).toContainEqual(expect.stringMatching(/must decide it: id-0, .*, id-19 and 5 more$/));
  expect(asked).toHaveLength(40);
});
