import { expect, it } from '@jest/globals';
import { idsAlone } from '../../client/names-in-lines.js';
import { disclosedLines } from '../commands/disclosed-texts.js';
import { disclosedPage } from './disclosed.page.js';
import { searchForm } from './search-form.js';

const shownOf = (type: string): readonly string[] => {
  const texts = { text: 'buy lamps' };
  const disclosed = [{ eventId: 'e', type, at: 0, actorId: 'ada', postId: null, erased: false, texts }];
  return [disclosedPage({ proof: '' }, disclosed), disclosedLines(disclosed, idsAlone).join('\n')];
};

it('says who wrote a disclosed text, but not who reported', () => {
  for (const shown of shownOf('post.created')) expect(shown).toContain('ada');
  for (const shown of shownOf('report.created')) {
    expect(shown).toContain('buy lamps');
    expect(shown).not.toContain('ada');
  }
});

it('the search offers other events than reports', () => {
  const form = searchForm({}).text;
  expect(form).toContain('value="post.created"');
  expect(form).not.toContain('value="report.created"');
});
