import { z } from 'zod';

/** JSON Schema draft 2020-12, the dialect of OpenAPI 3.1. */
export type JsonSchema = Readonly<Record<string, unknown>>;

type Side = 'input' | 'output';

/** Converts Zod schemas to JSON Schema. A schema with an id becomes a shared component. */
export class Schemas {
  private readonly named = new Map<string, JsonSchema>();

  of(schema: z.ZodType, io: Side = 'output'): JsonSchema {
    const { $schema: _dialect, $defs: named = {}, ...own } = z.toJSONSchema(schema, { io });
    for (const [id, component] of Object.entries(named)) this.named.set(id, relocated(component));
    return relocated(own);
  }

  get components(): Readonly<Record<string, JsonSchema>> {
    return Object.fromEntries([...this.named].toSorted(([a], [b]) => (a < b ? -1 : 1)));
  }
}

/** Rewrites references to `$defs` into references to the components of the OpenAPI document. */
function relocated(schema: unknown): JsonSchema {
  return JSON.parse(JSON.stringify(schema).replaceAll('"#/$defs/', '"#/components/schemas/')) as JsonSchema;
}
