import { describe, expect, it } from '@jest/globals';
import { z } from 'zod';
import { pageLimit } from '../requests/fields.js';
import { Schemas } from './schemas.js';

const propertyOf = (schema: z.ZodType) =>
  new Schemas().of(z.object({ property: schema }), 'input')['properties'];

describe('a schema of the document', () => {
  it.each([
    ['an integer without a bound', z.int(), 'int64'],
    ['one that is described', z.int().min(0).describe('Position.'), 'int64'],
    ['one that may be absent', z.int().optional(), 'int64'],
    ['one that is a little too large for 32 bits', z.int().max(2 ** 31), 'int64'],
    ['one of 32 bits', z.int().max(2 ** 31 - 1), undefined],
    ['the rows of a page', pageLimit({ most: 500 }), undefined],
  ])('has the format of %s: %s', (_what, schema, format) => {
    expect(propertyOf(schema)).toHaveProperty('property.type', 'integer');
    expect((propertyOf(schema) as { property: { format?: string } }).property.format).toBe(format);
  });

  it('names the alternative of each value of a discriminator', () => {
    const schemas = new Schemas();
    const circle = z.object({ shape: z.literal('circle') }).meta({ id: 'Circle' });
    const polygon = z.object({ shape: z.enum(['square', 'triangle']) }).meta({ id: 'Polygon' });
    schemas.of(z.discriminatedUnion('shape', [circle, polygon]).meta({ id: 'Shape' }));
    expect(schemas.components['Shape']).toEqual({
      oneOf: [{ $ref: '#/components/schemas/Circle' }, { $ref: '#/components/schemas/Polygon' }],
      discriminator: {
        propertyName: 'shape',
        mapping: {
          circle: '#/components/schemas/Circle',
          square: '#/components/schemas/Polygon',
          triangle: '#/components/schemas/Polygon',
        },
      },
    });
  });

  it('is not made of alternatives without names', () => {
    const union = z.discriminatedUnion('shape', [z.object({ shape: z.literal('circle') })]);
    expect(() => new Schemas().of(union)).toThrow('an alternative by shape has no id');
  });
});
