import { expect, it } from '@jest/globals';
import type { Told } from '../desk/sentences.js';
import { kindsOf } from './event-kinds.js';

const nobody = { actorId: null, appId: null, operatorId: null, operator: null, cause: null };
const event = (type: string, subject: Told['subject'], by: Partial<Told>): Told => ({
  ...nobody,
  type,
  subject,
  ...by,
});
const follow = (actorId: string, targetId: string) =>
  event('relation.established', { actorId, targetId, targetActorId: targetId }, { actorId, appId: 'app' });
const like = (actorId: string, targetId: string) =>
  event('relation.established', { actorId, targetId, targetActorId: 'ada' }, { actorId });

const summaries = (events: readonly Told[], about = 'ada') =>
  kindsOf(events, about).map(({ summary, events: { length } }) => [
    summary.map((part) => (typeof part === 'string' ? part : part.id)).join(''),
    length,
  ]);

it('acts of the subject are told by kind, and so are acts of others about it', () => {
  const post = (type: string, postId: string, by: Partial<Told>) =>
    event(type, { postId, authorActorId: 'ada' }, by);
  const ada = { actorId: 'ada' };
  expect(
    summaries([
      follow('ada', 'bob'),
      follow('bob', 'ada'),
      follow('ada', 'cleo'),
      follow('cleo', 'ada'),
      like('bob', 'p1'),
      like('bob', 'p2'),
      like('cleo', 'p1'),
      post('post.edited', 'p1', ada),
      post('post.edited', 'p1', ada),
      post('post.unrestricted', 'p1', { operatorId: 'grace' }),
      post('post.unrestricted', 'p2', { operatorId: 'grace' }),
      event('look.recorded', ada, { operatorId: 'grace' }),
      event('look.recorded', ada, { operatorId: 'hedy' }),
      event('account.suspended', ada, { operatorId: 'grace' }),
      event('case.disclosed', { caseId: 'post-p1' }, { operatorId: 'grace' }),
      event('case.disclosed', { caseId: 'post-p1' }, { operatorId: 'hedy' }),
    ]),
  ).toEqual([
    ['Followed 2 people', 2],
    ['2 people followed them', 2],
    ['2 people liked 2 posts, 3 times', 3],
    ['Edited 1 post, 2 times', 2],
    ['grace lifted the restriction of 2 posts', 2],
    ['2 operators viewed the person', 2],
    ['grace suspended the account', 1],
    ['2 operators were shown the texts of 1 case', 2],
  ]);
});

it('of a post they are about the post', () => {
  expect(summaries([like('bob', 'p1'), like('cleo', 'p1')], 'p1')).toEqual([['2 people liked the post', 2]]);
});
