import {
  answerHeaders,
  commonHeaders,
  limitHeaders,
  refusalHeaders,
  requestIdHeaders,
  writeHeaders,
} from '../../../server/headers.js';
import type { HeaderDeclaration } from '../../../server/headers.js';
import type { HeaderObject, Reference, ResponseObject } from './openapi.js';
import type { Schemas } from './schemas.js';

const always = { ...requestIdHeaders, ...commonHeaders, ...writeHeaders, ...refusalHeaders };
const sometimes = { ...limitHeaders, ...answerHeaders };
const lackable = { ...commonHeaders, ...refusalHeaders };

export type HeaderName = keyof typeof always | keyof typeof sometimes;
export type OptionalHeader = keyof typeof lackable;

/**
 * Returns all response headers as components of the OpenAPI document. A header that is required in one answer and
 * optional in another has two components.
 */
export function headerComponents(schemas: Schemas): Readonly<Record<string, HeaderObject>> {
  const described = (declared: Record<string, HeaderDeclaration>, required: boolean, suffix = '') =>
    Object.entries(declared).map(([name, { schema, description, example }]) => [
      `${name}${suffix}`,
      { description, required, schema: schemas.of(schema), example },
    ]);
  return Object.fromEntries([
    ...described(always, true),
    ...described(lackable, false, IF_ANY),
    ...described(sometimes, false),
  ]) as Record<string, HeaderObject>;
}

const IF_ANY = '-if-any';

export function headersOf(
  names: readonly HeaderName[],
  optional: readonly OptionalHeader[] = [],
): Pick<ResponseObject, 'headers'> {
  const reference = (name: string): Reference => ({ $ref: `#/components/headers/${name}` });
  const all: [string, Reference][] = [
    ['x-request-id', reference('x-request-id')],
    ...names.map((name): [string, Reference] => [name, reference(name)]),
    ...optional.map((name): [string, Reference] => [name, reference(`${name}${IF_ANY}`)]),
  ];
  return { headers: Object.fromEntries(all) };
}
