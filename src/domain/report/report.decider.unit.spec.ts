import { describe, expect, it } from '@jest/globals';
import { Refusal } from '../refusal.js';
import { createReport, evolveReport, mayReport, noReport } from './report.js';
import { reportReasons } from './report-reasons.js';
import type { ReportDraft } from './report.js';

const common = { reportId: 'r1', reporterActorId: 'ada', appId: 'app', at: 1_000 };
const ofActor: ReportDraft = {
  ...common,
  postId: undefined,
  actorId: 'bob',
  reason: 'spam',
  text: ' he sends e\u0301verything ',
};
const ofPost: ReportDraft = { ...ofActor, postId: 'p1', actorId: undefined };
const codeOf = (decision: unknown) => (decision instanceof Refusal ? decision.code : decision);

describe('a report', () => {
  it('records the reported actor, the reason and the text', () => {
    expect(createReport(ofActor, 'bob')).toEqual([
      {
        type: 'report.created',
        data: { ...common, targetActorId: 'bob', reason: 'spam', text: 'he sends éverything' },
      },
    ]);
  });

  it('names the author of the reported post', () => {
    expect(createReport(ofPost, 'bob')).toMatchObject([{ data: { postId: 'p1', targetActorId: 'bob' } }]);
  });

  it.each([undefined, '', ' \n '])('needs no text: %j', (text) => {
    expect(createReport({ ...ofActor, text }, 'bob')).toMatchObject([{ data: { text: '' } }]);
  });

  it.each(reportReasons)('accepts the reason %s', (reason) => {
    expect(createReport({ ...ofActor, reason }, 'bob')).toMatchObject([{ data: { reason } }]);
  });

  it.each<[string, ReportDraft, string | undefined, string]>([
    ['of both a post and an actor', { ...ofActor, postId: 'p1' }, 'bob', 'invalid_report'],
    ['without a subject', { ...ofActor, actorId: undefined }, 'bob', 'invalid_report'],
    ['for another reason', { ...ofActor, reason: 'boredom' }, 'bob', 'invalid_report'],
    ['of oneself', { ...ofActor, actorId: 'ada' }, 'ada', 'invalid_report'],
    ["of one's own post", ofPost, 'ada', 'invalid_report'],
    ['with too long a text', { ...ofActor, text: 'x'.repeat(2_001) }, 'bob', 'invalid_text'],
    ['with a control character', { ...ofActor, text: 'a\u0007' }, 'bob', 'invalid_text'],
    ['of an unknown actor', ofActor, undefined, 'not_found'],
    ['of an unknown post', ofPost, undefined, 'post_unavailable'],
  ])('is refused %s', (_what, draft, target, code) => {
    expect(codeOf(createReport(draft, target))).toBe(code);
  });

  it('is received once it is created', () => {
    const [event] = createReport(ofActor, 'bob') as readonly Parameters<typeof evolveReport>[1][];
    expect(event && evolveReport(noReport, event)).toEqual({ status: 'received', id: 'r1' });
  });
});

describe('a report across blocks', () => {
  it.each<[string, readonly string[], boolean]>([
    ['allowed without a block', [], true],
    ['allowed if the reporter blocks the other', ['ada'], true],
    ['refused if the other blocks the reporter', ['bob'], false],
    ['allowed if both block each other', ['ada', 'bob'], true],
  ])('is %s', (_what, blockedBy, expected) => {
    expect(mayReport('ada', 'bob', blockedBy)).toBe(expected);
  });
});
