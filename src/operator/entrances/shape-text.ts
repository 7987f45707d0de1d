import { z } from 'zod';

type Shape = z.core.JSONSchema.JSONSchema | boolean | undefined;

/** The shape of an answer in the words of TypeScript. A value that has a description is described by it. */
export const shapeText = (schema: z.ZodType): string =>
  textOf(z.toJSONSchema(schema, { unrepresentable: 'any' }));

function textOf(shape: Shape): string {
  if (shape === undefined || typeof shape === 'boolean') return 'unknown';
  if (shape.description !== undefined) return shape.description;
  if (shape.const !== undefined) return JSON.stringify(shape.const);
  if (shape.enum) return shape.enum.map((each) => JSON.stringify(each)).join(' | ');
  if (shape.anyOf) return shape.anyOf.map(textOf).join(' | ');
  if (Array.isArray(shape.type)) return shape.type.join(' | ');
  if (shape.type === 'array') return listText(shape.items as Shape);
  if (shape.type === 'object') return objectText(shape);
  return shape.type ?? 'unknown';
}

function listText(item: Shape): string {
  const text = textOf(item);
  const isUnion = typeof item === 'object' && (item.anyOf ?? item.enum ?? Array.isArray(item.type));
  return isUnion ? `(${text})[]` : `${text}[]`;
}

function objectText({
  properties,
  required = [],
  additionalProperties,
}: z.core.JSONSchema.JSONSchema): string {
  if (!properties) return `{ [name]: ${textOf(additionalProperties)} }`;
  const fields = Object.entries(properties).map(
    ([name, field]) => `${name}${required.includes(name) ? '' : '?'}: ${textOf(field)}`,
  );
  return `{ ${fields.join(', ')} }`;
}
