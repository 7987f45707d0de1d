import { z } from 'zod';

/** A JSON Schema of draft 2020-12, which OpenAPI 3.1 takes as it is. */
export type JsonSchema = Readonly<Record<string, unknown>>;

/** Which side of a transforming schema: what is sent, or what comes of it. */
type Side = 'input' | 'output';

/** Turns schemas into JSON Schema. Those with an id become components, which all others refer to. */
export class Schemas {
  private readonly named = new Map<string, JsonSchema>();

  of(schema: z.ZodType, io: Side = 'output'): JsonSchema {
    const { $schema: _dialect, $defs: named = {}, ...own } = z.toJSONSchema(schema, { io });
    for (const [id, component] of Object.entries(named)) this.named.set(id, referring(component));
    return referring(own);
  }

  get components(): Readonly<Record<string, JsonSchema>> {
    return Object.fromEntries([...this.named].toSorted(([a], [b]) => (a < b ? -1 : 1)));
  }
}

/** References of a document, and not of the schema by itself. */
function referring(schema: unknown): JsonSchema {
  return JSON.parse(JSON.stringify(schema).replaceAll('"#/$defs/', '"#/components/schemas/')) as JsonSchema;
}
