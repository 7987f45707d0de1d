import { expect, it } from '@jest/globals';
import { eventTypes } from '../../log/registry.js';
import { allColumns, fieldColumns, fieldsOf } from './columns.js';
import { resolvableColumns } from './resolvable.js';

const foundByEvent: ReadonlySet<string> = new Set(['caseId', 'decisionId', 'batchId']);

it.each(eventTypes)('%s has a column for each pseudonym and each clear field', (type) => {
  for (const field of fieldsOf(type, 'id', 'clear')) expect(fieldColumns).toHaveProperty(field);
});

it('each column of pseudonyms can be resolved, but for those that the audit has by the id of the event', () => {
  const pseudonyms = new Set(
    eventTypes.flatMap((type) => fieldsOf(type, 'id')).filter((field) => !foundByEvent.has(field)),
  );
  expect(new Set(resolvableColumns)).toEqual(
    new Set(['by_actor_id', 'by_grant_id', ...[...pseudonyms].map((field) => fieldColumns[field]?.name)]),
  );
});

it('no two columns have one name, and each field column belongs to an event', () => {
  const names = allColumns.map(({ name }) => name);
  expect(new Set(names).size).toBe(names.length);
  const used = new Set(eventTypes.flatMap((type) => fieldsOf(type, 'id', 'clear')));
  expect(new Set(Object.keys(fieldColumns))).toEqual(used);
});
