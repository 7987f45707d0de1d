import type { Endpoint } from './endpoint.js';
import { headersOf } from './header-objects.js';
import type { HeaderName } from './header-objects.js';
import { headerParameters } from './header-parameters.js';
import { callerHeaders, limitHeaders, readHeaders, writeHeaders } from '../../../server/headers.js';
import { limitsOf } from './limit-texts.js';
import type { MediaTypes, OperationObject, ParameterObject, ResponseObject } from './openapi.js';
import { socialRefusalResponses } from './refusal-responses.js';
import type { JsonSchema, Schemas } from './schemas.js';
import { sharedErrors } from './shared-errors.js';

const namesOf = <Name extends string>(headers: Readonly<Record<Name, unknown>>) =>
  Object.keys(headers) as Name[];

export function socialOperation(endpoint: Endpoint, schemas: Schemas): OperationObject {
  const { id, path, summary, description, access, body, bodyExample } = endpoint;
  return {
    operationId: id,
    tags: [path.split('/')[2] ?? ''],
    summary,
    ...(description !== undefined && { description }),
    security: [
      { network: access.scope === undefined ? [] : [access.scope] },
      ...(access.anonymous ? [{}] : []),
    ],
    parameters: [
      ...pathParameters(endpoint, schemas),
      ...queryParameters(endpoint, schemas),
      ...headerParameters(
        [
          ...(endpoint.mutates ? [] : (['x-network-min-revision'] as const)),
          ...(endpoint.requestHeaders ?? []),
        ],
        schemas,
      ),
    ],
    ...(body && { requestBody: { required: true, content: json(schemas.of(body, 'input'), bodyExample) } }),
    responses: {
      200: success(endpoint, schemas),
      ...socialRefusalResponses([...sharedErrors(endpoint), ...(endpoint.errors ?? [])], {
        isRead: !endpoint.mutates,
        published: {
          405: 'invalid_request',
          ...(endpoint.method !== 'get' && { 415: 'invalid_json' }),
          ...endpoint.published,
        },
        limits: limitsOf(endpoint),
      }),
    },
  };
}

const json = (schema: JsonSchema, example: unknown): MediaTypes => ({
  'application/json': { schema, example },
});

function success(endpoint: Endpoint, schemas: Schemas): ResponseObject {
  const { access, answer, example, headers = [], mutates, streamedEvent } = endpoint;
  const own: HeaderName[] = mutates ? namesOf(writeHeaders) : namesOf(readHeaders);
  const callers = mutates ? [] : namesOf(callerHeaders);
  return {
    description: 'Done.',
    ...headersOf(
      [...own, ...namesOf(limitHeaders), ...headers, ...(access.anonymous ? [] : callers)],
      access.anonymous ? callers : [],
    ),
    content: {
      ...json(schemas.of(answer), example),
      ...(streamedEvent && {
        'text/event-stream': { schema: { type: 'string', contentSchema: schemas.of(streamedEvent) } },
      }),
    },
  };
}

function pathParameters({ path, params = {} }: Endpoint, schemas: Schemas): ParameterObject[] {
  return [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => ({
    name,
    in: 'path',
    required: true,
    schema: params[name] ? schemas.of(params[name], 'input') : { type: 'string', minLength: 1 },
  }));
}

function queryParameters({ query }: Endpoint, schemas: Schemas): ParameterObject[] {
  if (!query) return [];
  const { properties = {}, required = [] } = schemas.of(query, 'input') as QuerySchema;
  return Object.entries(properties).map(([name, { description, ...schema }]) => ({
    name,
    in: 'query',
    required: required.includes(name),
    description,
    schema,
  }));
}

interface QuerySchema {
  readonly properties?: Readonly<Record<string, JsonSchema & { readonly description?: string }>>;
  readonly required?: readonly string[];
}
