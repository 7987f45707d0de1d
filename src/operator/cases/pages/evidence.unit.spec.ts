import { describe, expect, it } from '@jest/globals';
import type { CaseView } from '../case-view.js';
import { reportCard } from './evidence.js';

const cardOf = (total: number, byReason: Readonly<Record<string, number>>, listed: number): string => {
  const newest = Array.from({ length: listed }, (_each, n) => ({
    reportId: `r${String(n)}`,
    reason: 'spam',
    at: n,
    isClosed: false,
  }));
  return reportCard({ reports: { total, byReason, newest } } as unknown as CaseView).text.replaceAll(
    /\s+/g,
    ' ',
  );
};

describe('the reports of a case', () => {
  it('are folded above ten', () => {
    expect(cardOf(10, { spam: 10 }, 10)).not.toContain('<details');
    const [open = '', folded = ''] = cardOf(12, { spam: 12 }, 12).split('<details');
    expect([open.split('<li>').length - 1, folded.split('<li>').length - 1]).toEqual([10, 2]);
    expect(folded).toContain('2 more');
  });

  it('are counted by reason, and say if only the newest are', () => {
    expect(cardOf(3, { spam: 2, other: 1 }, 3)).toContain('3 reports: 2 spam, 1 other</h2>');
    const many = cardOf(1_500, { spam: 1_000 }, 50);
    expect(many).toContain('1,500 reports: 1,000 spam among the newest</h2>');
    expect(many).toContain('The newest 50 are listed.');
  });
});
