import { describe, expect, it } from '@jest/globals';
import { z } from 'zod';
import { event, id, inData, omitted, personal, pseudonym } from './event.js';

const renamed = event(
  {
    actorId: pseudonym(id),
    name: personal(z.string().nullable(), null),
    codes: inData(z.array(z.string()).optional()),
  },
  { person: 'actorId', upcasters: [(first) => ({ ...first, codes: [] })] },
);

describe('a declared event', () => {
  it('has its time besides its fields, and no other field', () => {
    const data = { actorId: 'a', name: 'n', at: 1 };
    expect(renamed.schema.parse(data)).toEqual(data);
    expect(() => renamed.schema.parse({ ...data, other: 1 })).toThrow('other');
    expect(() => renamed.schema.parse({ actorId: 'a', name: 'n' })).toThrow('at');
  });

  it('has one version more than upcasters', () => {
    expect(renamed.version).toBe(2);
    expect(event({}).version).toBe(1);
  });

  it('has a treatment of each field, and a personal one is not exported', () => {
    expect(renamed.treatments).toEqual({ actorId: 'id', name: 'omit', codes: 'data' });
  });

  it('knows its person and placeholders, or has no personal field', () => {
    expect(renamed.personal?.person({ actorId: 'a', name: 'n', at: 1 })).toBe('a');
    expect(renamed.personal?.placeholders).toEqual({ name: null });
    expect(event({ digest: omitted(id) }).personal).toBeUndefined();
  });

  it('does not compile without a treatment of each field, nor with a personal field of nobody', () => {
    const refused = [
      // @ts-expect-error: the field has a schema alone.
      () => event({ actorId: id }),
      // @ts-expect-error: no field names the person.
      () => event({ actorId: pseudonym(id), name: personal(z.string(), '') }),
      // @ts-expect-error: no field has this name.
      () => event({ actorId: pseudonym(id), name: personal(z.string(), '') }, { person: 'authorActorId' }),
    ];
    expect(refused).toHaveLength(3);
  });
});
