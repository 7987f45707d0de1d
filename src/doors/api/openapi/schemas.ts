import { z } from 'zod';

/** JSON Schema draft 2020-12, the dialect of OpenAPI 3.1. */
export type JsonSchema = Readonly<Record<string, unknown>>;

type Side = 'input' | 'output';

/** Converts Zod schemas to JSON Schema. A schema with an id becomes a shared component. */
export class Schemas {
  private readonly named = new Map<string, JsonSchema>();

  of(schema: z.ZodType, io: Side = 'output'): JsonSchema {
    const { $schema: _dialect, $defs: named = {}, ...own } = z.toJSONSchema(schema, { io, override });
    for (const [id, component] of Object.entries(named)) this.named.set(id, relocated(component));
    return relocated(own);
  }

  get components(): Readonly<Record<string, JsonSchema>> {
    return Object.fromEntries([...this.named].toSorted(([a], [b]) => (a < b ? -1 : 1)));
  }
}

const MAX_INT32 = 2 ** 31 - 1;

/**
 * Says things as generators of clients read them: without `format` most make 32 bits of an integer, without `discriminator` some make an
 * untyped object of a union, and of a component or null one makes an empty class unless it is `oneOf`.
 */
const override: NonNullable<z.core.ToJSONSchemaParams['override']> = ({ zodSchema, jsonSchema }) => {
  if (jsonSchema.type === 'integer' && (jsonSchema.maximum ?? Infinity) > MAX_INT32)
    jsonSchema.format = 'int64';
  if (zodSchema instanceof z.ZodDiscriminatedUnion)
    jsonSchema['discriminator'] = discriminatorOf(zodSchema.def);
  if (zodSchema instanceof z.ZodNullable && jsonSchema.anyOf?.some(({ $ref }) => $ref !== undefined)) {
    jsonSchema.oneOf = jsonSchema.anyOf;
    delete jsonSchema.anyOf;
  }
};

/** @throws {Error} an alternative has no id. */
function discriminatorOf({ discriminator, options }: z.core.$ZodDiscriminatedUnionDef): JsonSchema {
  const mapping = options.flatMap((option) => {
    const id = z.globalRegistry.get(option)?.id;
    if (id === undefined)
      throw new Error(`an alternative by ${discriminator} has no id: give it one with .meta()`);
    return [...(option._zod.propValues?.[discriminator] ?? [])].map((value) => [value, `#/$defs/${id}`]);
  });
  return { propertyName: discriminator, mapping: Object.fromEntries(mapping) };
}

/** Rewrites references to `$defs` into references to the components of the OpenAPI document. */
function relocated(schema: unknown): JsonSchema {
  return JSON.parse(JSON.stringify(schema).replaceAll('"#/$defs/', '"#/components/schemas/')) as JsonSchema;
}
