import { expect, it } from '@jest/globals';
import type { BatchStatus } from '../batch-status.js';
import type { ShownPreview } from '../batch-preview.js';
import { batchPage, previewPage } from './batches.page.js';

const ids = Array.from({ length: 25 }, (_, n) => `id-${n}`);
/** The ids of each list of the page, as placeholders of names. */
const lists = (page: string) =>
  page
    .split('<ul class="links">')
    .slice(1)
    .map((list) => new Set(list.split('</ul>')[0]?.match(/\bid-\d+/g)).size);

it('lists twenty of what is left out, recused, skipped or reported, and says how many more there are', () => {
  const preview: ShownPreview = {
    kind: 'accounts',
    items: 25,
    first: [],
    sample: ids
      .slice(0, 20)
      .map((id) => ({ id, authorActorId: null, isPublic: true, writtenAt: null, eventId: null })),
    openCases: ids
      .slice(0, 21)
      .map((id) => ({ caseId: `actor-${id}`, targetActorId: id, reasons: ['spam'] })),
    left: ids,
    recused: ids,
    digest: 'd',
  };
  const shown = previewPage({ proof: '' }, preview, new Map());
  expect(lists(shown)).toEqual([20, 20, 20, 20]);
  expect(shown.match(/and 5 more/g)).toHaveLength(3);
  expect(shown).toContain('The 20 oldest of the cases');
  const batch: BatchStatus = {
    batchId: 'b',
    kind: 'posts',
    appId: null,
    items: 60,
    done: 60,
    state: 'applied',
    operatorId: 'o',
    operatorName: null,
    reason: 'spam',
    requestedAt: 0,
    applied: { changed: 10, skipped: [...ids, ...ids.map((id) => `${id}0`)], recused: ids },
    undo: null,
    undone: null,
    openCases: [{ caseId: 'post-id-1', targetActorId: 'ada', reasons: ['spam', 'other'] }],
  };
  const page = batchPage({ proof: '' }, batch, { query: {}, isReloading: false });
  expect(lists(page)).toEqual([20, 20, 1]);
  expect(page).toContain('<p>Skipped, as somebody acted on them:</p>');
  expect(page).toContain('reported for spam, other');
});
