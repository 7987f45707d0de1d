import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from '@jest/globals';
import { Desk } from '../support/desk.js';
import { startTestPostgres } from '../support/postgres.js';
import type { TestPostgres } from '../support/postgres.js';

let postgres: TestPostgres;
let desk: Desk;

beforeAll(async () => {
  postgres = await startTestPostgres();
});
afterAll(() => postgres?.stop());
beforeEach(async () => {
  desk = await Desk.open(postgres);
});
afterEach(() => desk?.close());

it('names are those of people who are not erased, suspended ones too, and to list them is no look', async () => {
  const grace = await desk.enroll(['administrator', 'moderator'], 'Grace');
  const [shown, suspended, erased] = [await desk.account(), await desk.account(), await desk.account()];
  await grace.post('accounts/:id/suspend', { id: suspended, reason: 'spam' });
  await grace.post('accounts/:id/erase', { id: erased, reason: 'asked for' });
  const before = desk.log.length;
  const actors = [shown, suspended, erased, 'nobody'];
  const names = await grace.post('names', { actors, operators: [grace.operatorId, 'shared-token'] });
  const named = { name: expect.stringMatching(/./), handle: expect.stringMatching(/./), isErased: false };
  expect(names).toEqual({
    actors: { [shown]: named, [suspended]: named, [erased]: { name: '', handle: null, isErased: true } },
    applications: {},
    operators: expect.objectContaining({ [grace.operatorId]: 'Grace', 'shared-token': 'shared token' }),
    posts: {},
  });
  expect(desk.log.length).toBe(before);
});

it('names are for who sees people, at most a thousand of a kind', async () => {
  const [grace, vera] = [await desk.enroll(['auditor']), await desk.enroll(['viewer'])];
  await expect(vera.post('names', {})).rejects.toThrow('(capability_required)');
  const actors = Array.from({ length: 1_001 }, (_, n) => `a${n}`);
  await expect(grace.post('names', { actors })).rejects.toThrow('at most 1000 (invalid_request)');
  await expect(grace.post('names', { actors: ['Ada Lovelace'] })).rejects.toThrow('(invalid_request)');
  expect((await grace.post('names', { actors: actors.slice(1) })).actors).toEqual({});
});
