import { expect, it } from '@jest/globals';
import { casesOfPerson, casesOfPost } from '../../projections/cases/dossier.read-model.js';
import { streams } from '../../src/log/streams.js';
import { some } from '../projections/support/recorded.js';
import { caseDesks } from './support/case-desk.js';
import { publish } from './support/publish.js';

const at = caseDesks();

const numbersOf = (actorId: string) => casesOfPerson(at().desk.services.pool, actorId);

it('a dossier has the cases about a person and their outcomes, the newest first', async () => {
  const { desk, grace } = at();
  const { actorId, postId, caseId } = await at().newCase();
  await at().report({ postId });
  expect((await numbersOf(actorId)).cases).toMatchObject({
    isMore: false,
    newest: [{ caseId, reports: 2, outcome: 'waiting' }],
  });
  await at().decide(grace, caseId, ['restrict_post']);
  const ofPerson = await at().report({ actorId });
  await desk.follow();
  const expected = [
    { caseId: ofPerson, reports: 1, outcome: 'waiting' },
    { caseId, reports: 2, outcome: 'violation' },
  ];
  expect((await numbersOf(actorId)).cases.newest).toMatchObject(expected);
  await at().appeal(caseId);
  await at().overturn(caseId);
  await desk.follow();
  expect((await numbersOf(actorId)).cases.newest[1]).toMatchObject({ caseId, outcome: 'overturned' });
  expect((await casesOfPost(desk.services.pool, postId)).newest).toMatchObject([
    { caseId, outcome: 'overturned' },
  ]);
  expect((await casesOfPost(desk.services.pool, 'unknown')).newest).toEqual([]);
});

it('numbers of reports by a person begin with the third one, and name no case', async () => {
  const { desk, grace } = at();
  // Each is a report by Ada.
  const { caseId: fine } = await at().newCase();
  await grace.post('cases/:id/claim', { id: fine });
  await grace.post('cases/:id/decide', { id: fine, outcome: 'no_violation', effects: [], reason: 'fine' });
  const { caseId: spam } = await at().newCase();
  await at().decide(grace, spam, []);
  await desk.follow();
  expect((await numbersOf('ada')).reportsBy).toBeNull();
  await at().newCase();
  await at().overturned();
  await desk.follow();
  expect((await numbersOf('ada')).reportsBy).toEqual({
    reports: 4,
    isMore: false,
    waiting: 1,
    violation: 1,
    noViolation: 1,
    overturned: 1,
  });
});

it('a dossier of a post has its newest events below any number of newer reports, and none of these', async () => {
  const { desk, grace } = at();
  const targetActorId = await desk.account();
  const postId = await desk.post(targetActorId);
  const reported = { targetActorId, postId, at: Date.UTC(2027, 0, 1) };
  for (let n = 0; n < 150; n += 1) await desk.given(streams.report(`r${n}`), some.report(`r${n}`, reported));
  await publish(desk);
  const { timeline } = await grace.get('posts/:id', { id: postId });
  expect(timeline.map(({ type }) => type)).toEqual(['post.created']);
});
