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

const always = { ...readHeaders, ...writeHeaders, ...refusalHeaders };
const sometimes = { ...limitHeaders, ...answerHeaders };

export type HeaderName = keyof typeof always | keyof typeof callerHeaders | keyof typeof sometimes;

/**
 * The headers of all answers, as components. A caller's come with each answer that a credential was admitted for: where
 * nobody may call without one they are always there, under a name of their own.
 */
export function headerComponents(schemas: Schemas): Readonly<Record<string, HeaderObject>> {
  const described = (declared: Record<string, HeaderDeclaration>, required: boolean, suffix = '') =>
    Object.entries(declared).map(([name, { schema, ...header }]) => [
      `${name}${suffix}`,
      { ...header, required, schema: schemas.of(schema) },
    ]);
  return Object.fromEntries([
    ...described({ ...always, ...callerHeaders }, true),
    ...described(callerHeaders, false, OF_BEARERS),
    ...described(sometimes, false),
  ]) as Record<string, HeaderObject>;
}

const OF_BEARERS = '-of-bearers';

/** References to them. `optionally`: callers' headers where anonymous calls are answered too. */
export function headersOf(
  names: readonly HeaderName[],
  { optionally = false } = {},
): Pick<ResponseObject, 'headers'> {
  if (names.length === 0) return {};
  return {
    headers: Object.fromEntries(
      names.map((name): [string, Reference] => [
        name,
        { $ref: `#/components/headers/${name}${optionally && name in callerHeaders ? OF_BEARERS : ''}` },
      ]),
    ),
  };
}
