import { requestHeaders } from '../../../server/headers.js';
import type { RequestHeader } from '../../../server/headers.js';
import type { ParameterObject } from './openapi.js';
import type { Schemas } from './schemas.js';

export function headerParameters(names: readonly RequestHeader[], schemas: Schemas): ParameterObject[] {
  return [...names, 'x-request-id' as const].map((name) => {
    const { schema, description, example } = requestHeaders[name];
    return { name, in: 'header', required: false, description, example, schema: schemas.of(schema) };
  });
}
