import * as fc from 'fast-check';

/** The part of JSON Schema that the published document uses. */
export interface Schema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly allOf?: readonly Schema[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly items?: Schema;
  readonly pattern?: string;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
}

/** Existing values by the name of their field or parameter. Without them no request would pass the first check. */
export type Likely = Readonly<Record<string, readonly unknown[]>>;

/** Values that often break programs. */
export const hostile: fc.Arbitrary<unknown> = fc.oneof(
  fc.constantFrom<unknown>(
    null,
    true,
    0,
    -1,
    1e9,
    1e308,
    50.5,
    2 ** 53,
    '',
    'abc',
    ' ',
    '0',
    '-1',
    '1e9',
    [],
    {},
    [null],
    '\u0000',
    '\ud800',
    'a\u202eb',
    '😀'.repeat(2_001),
    'x'.repeat(20_000),
    '__proto__',
    'constructor',
    "'; DROP TABLE post; --",
    '%00',
    '../..',
  ),
  fc.string({ unit: 'binary', maxLength: 40 }),
  fc.jsonValue({ maxDepth: 2 }),
);

/** Mostly values that fit the schema, some that do not. */
export function valueOf(name: string, given: Schema, resolve: (schema: Schema) => Schema, likely: Likely) {
  const schema = resolve(given);
  const known = likely[name];
  return fc.oneof(
    { weight: 12, arbitrary: known ? fc.constantFrom(...known) : fitting(schema, resolve, likely) },
    { weight: 2, arbitrary: fitting(schema, resolve, likely) },
    { weight: 1, arbitrary: hostile },
  );
}

function fitting(schema: Schema, resolve: (schema: Schema) => Schema, likely: Likely): fc.Arbitrary<unknown> {
  if ('const' in schema) return fc.constant(schema.const);
  if (schema.enum) return fc.constantFrom(...schema.enum);
  const choice = schema.anyOf ?? schema.oneOf;
  if (choice) return fc.oneof(...choice.map((each) => fitting(resolve(each), resolve, likely)));
  const type = Array.isArray(schema.type) ? String(schema.type[0]) : String(schema.type);
  switch (type) {
    case 'string':
      return schema.pattern === undefined
        ? fc.string({ minLength: schema.minLength ?? 0, maxLength: Math.min(schema.maxLength ?? 60, 60) })
        : fc.stringMatching(new RegExp(schema.pattern, 'u')).map((text) => text.slice(0, 200));
    case 'integer':
    case 'number':
      return fc.integer({ min: schema.minimum ?? -5, max: Math.min(schema.maximum ?? 1_000, 1_000_000) });
    case 'boolean':
      return fc.boolean();
    case 'null':
      return fc.constant(null);
    case 'array':
      return fc.array(schema.items ? valueOf('item', schema.items, resolve, likely) : hostile, {
        minLength: schema.minItems ?? 0,
        maxLength: Math.min(schema.maxItems ?? 5, 5),
      });
    case 'object':
      return objectOf(schema, resolve, likely);
    default:
      return hostile;
  }
}

/** Sometimes omits fields or adds others. */
export function objectOf(
  schema: Schema,
  resolve: (schema: Schema) => Schema,
  likely: Likely,
): fc.Arbitrary<Record<string, unknown>> {
  const fields = Object.entries(schema.properties ?? {}).map(([name, each]) => {
    const value = valueOf(name, each, resolve, likely);
    const isRequired = schema.required?.includes(name) ?? false;
    return fc
      .tuple(fc.nat({ max: 19 }), value)
      .map(([luck, field]) => (luck < (isRequired ? 19 : 8) ? [[name, field]] : []));
  });
  const extra = fc
    .tuple(fc.nat({ max: 19 }), fc.constantFrom('extra', 'actorId', 'toString', '__proto__', ''), hostile)
    .map(([luck, name, value]) => (luck === 0 ? [[name, value]] : []));
  return fc.tuple(...fields, extra).map((parts) => Object.fromEntries(parts.flat()));
}
