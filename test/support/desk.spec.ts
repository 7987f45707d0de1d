import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { Desk } from './desk.js';
import { startTestPostgres } from './postgres.js';
import type { TestPostgres } from './postgres.js';

let postgres: TestPostgres;

beforeAll(async () => {
  postgres = await startTestPostgres();
});
afterAll(() => postgres?.stop());

it('a desk gives values of an address as text, as the routes do', async () => {
  const desk = await Desk.open(postgres);
  const ada = await desk.enroll(['auditor']);
  expect(await ada.get('audit', { limit: 1, texts: false })).toMatchObject({ events: [] });
});
