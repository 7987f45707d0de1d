import {
  answerHeaders,
  callerHeaders,
  limitHeaders,
  readHeaders,
  refusalHeaders,
  writeHeaders,
} from './headers.js';
import type { HeaderDeclaration } from './headers.js';
import type { HeaderObject, Reference, ResponseObject } from './openapi.js';
import type { Schemas } from './schemas.js';

const always = { ...readHeaders, ...writeHeaders, ...callerHeaders, ...refusalHeaders };
const sometimes = { ...limitHeaders, ...answerHeaders };

export type HeaderName = keyof typeof always | keyof typeof sometimes;

/** The headers of all answers, as components. What one answer always has another may lack, under a name of its own. */
export function headerComponents(schemas: Schemas): Readonly<Record<string, HeaderObject>> {
  const described = (declared: Record<string, HeaderDeclaration>, required: boolean, suffix = '') =>
    Object.entries(declared).map(([name, { schema, description, example }]) => [
      `${name}${suffix}`,
      { description, required, schema: schemas.of(schema), example },
    ]);
  return Object.fromEntries([
    ...described(always, true),
    ...described({ ...callerHeaders, ...refusalHeaders }, false, IF_ANY),
    ...described(sometimes, false),
  ]) as Record<string, HeaderObject>;
}

const IF_ANY = '-if-any';

/** References to them. `optional`: those that this answer may lack. */
export function headersOf(
  names: readonly HeaderName[],
  optional: readonly (keyof typeof callerHeaders | keyof typeof refusalHeaders)[] = [],
): Pick<ResponseObject, 'headers'> {
  const reference = (name: string): Reference => ({ $ref: `#/components/headers/${name}` });
  const all: [string, Reference][] = [
    ...names.map((name): [string, Reference] => [name, reference(name)]),
    ...optional.map((name): [string, Reference] => [name, reference(`${name}${IF_ANY}`)]),
  ];
  return all.length === 0 ? {} : { headers: Object.fromEntries(all) };
}
