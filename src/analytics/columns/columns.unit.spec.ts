import { describe, expect, it } from '@jest/globals';
import { z } from 'zod';
import { eventTypes, personalFieldsOf, registryEntryOf } from '../../log/registry.js';
import type { EventType } from '../../log/registry.js';
import { allColumns, fieldColumns, fieldsOf } from './columns.js';
import { resolvableColumns } from './resolvable.js';
import { treatments } from './fields.js';

function registeredFields(type: EventType): ReadonlySet<string> {
  const schema = z.toJSONSchema(registryEntryOf(type)!.schema);
  const shapes = [schema, ...(schema.anyOf ?? [])].map((each) => Object.keys(each.properties ?? {}));
  return new Set(shapes.flat().filter((field) => field !== 'at'));
}

const foundByEvent: ReadonlySet<string> = new Set(['caseId', 'decisionId', 'batchId']);

describe.each(eventTypes)('%s', (type) => {
  it('has a treatment for each registered field, and none for another', () => {
    expect(new Set(Object.keys(treatments[type]))).toEqual(registeredFields(type));
  });

  it('omits each personal field', () => {
    expect(fieldsOf(type, 'omit')).toEqual(expect.arrayContaining([...personalFieldsOf(type)]));
  });

  it('has a column for each pseudonym and each clear field', () => {
    for (const field of fieldsOf(type, 'id', 'clear')) expect(fieldColumns).toHaveProperty(field);
  });
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
