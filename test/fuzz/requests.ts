import * as fc from 'fast-check';
import { operationsOf } from '../../src/doors/api/openapi/openapi.js';
import type { OpenApi, OperationObject } from '../../src/doors/api/openapi/openapi.js';
import { hostile, objectOf, valueOf } from './values.js';
import type { Likely, Schema } from './values.js';

/**
 * The credential of a request: none, a person's application with all scopes, an application's own, or another one.
 */
export type Caller = 'stranger' | 'member' | 'application' | 'other';

export interface FuzzRequest {
  readonly operationId: string;
  readonly caller: Caller;
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | undefined;
}

/** Requests to the operations of the document, most of them nearly valid. */
export function requestsOf(document: OpenApi, likely: Likely): fc.Arbitrary<FuzzRequest> {
  const resolve = (schema: Schema): Schema => {
    const name = schema.$ref?.split('/').at(-1);
    return name === undefined ? schema : (document.components.schemas[name] as Schema);
  };
  return fc.oneof(
    ...operationsOf(document).map(({ path, method, operation }) =>
      requestOf(path, method.toUpperCase(), operation, resolve, likely),
    ),
  );
}

function requestOf(
  template: string,
  method: string,
  operation: OperationObject,
  resolve: (schema: Schema) => Schema,
  likely: Likely,
): fc.Arbitrary<FuzzRequest> {
  const of = (where: 'path' | 'query' | 'header') =>
    fc.tuple(
      ...operation.parameters
        .filter((parameter) => parameter.in === where)
        .map(({ name, required, schema }) =>
          fc
            .tuple(fc.nat({ max: 9 }), valueOf(name, schema as Schema, resolve, likely))
            .map(([luck, value]) => ({ name, value: textOf(value), sent: required ? luck > 0 : luck > 5 })),
        ),
    );
  return fc
    .record({
      path: of('path'),
      query: of('query'),
      header: of('header'),
      body: bodyOf(operation, resolve, likely),
      caller: callerOf(operation),
      twice: fc.nat({ max: 19 }),
      otherMethod: fc.nat({ max: 39 }),
    })
    .map(({ path, query, header, body, caller, twice, otherMethod }) => {
      const filled = path.reduce(
        (url, { name, value }) => url.replace(`{${name}}`, encodeURIComponent(value.toWellFormed())),
        template,
      );
      const sent = query.filter((parameter) => parameter.sent);
      const parameters = (twice === 0 ? [...sent, ...sent] : sent).map(
        ({ name, value }) => `${name}=${encodeURIComponent(value.toWellFormed())}`,
      );
      const headers = header
        .filter(({ sent: isSent, name }) => isSent && name.toLowerCase() !== 'accept')
        .map(({ name, value }) => [name, value.replaceAll(/[^ -~]/g, '').trim()] as [string, string]);
      if (body) headers.push(['content-type', body.type]);
      return {
        operationId: operation.operationId,
        caller,
        method: otherMethod === 0 ? 'PUT' : method,
        path: filled + (parameters.length > 0 ? `?${parameters.join('&')}` : ''),
        headers: Object.fromEntries(headers),
        body: body?.text,
      };
    });
}

function callerOf({ security }: OperationObject): fc.Arbitrary<Caller> {
  const isOfApplications = security.some((scheme) => 'client' in scheme);
  return fc.oneof(
    { weight: 1, arbitrary: fc.constant<Caller>('stranger') },
    { weight: 2, arbitrary: fc.constant<Caller>(isOfApplications ? 'application' : 'member') },
    { weight: 1, arbitrary: fc.constant<Caller>('other') },
  );
}

function bodyOf(operation: OperationObject, resolve: (schema: Schema) => Schema, likely: Likely) {
  const [type, content] = Object.entries(operation.requestBody?.content ?? {})[0] ?? [];
  if (type === undefined) return fc.constant(undefined);
  const schema = resolve(content?.schema ?? {});
  const isForm = type.includes('form');
  const written = objectOf(schema, resolve, likely).map((fields) =>
    isForm
      ? new URLSearchParams(
          Object.entries(fields).map(
            ([name, value]) => [name, textOf(value).toWellFormed()] as [string, string],
          ),
        ).toString()
      : JSON.stringify(fields),
  );
  const broken = fc.oneof(
    hostile.map((value) => JSON.stringify(value)),
    fc.string({ unit: 'binary', maxLength: 60 }),
    fc.constantFrom('{', '', '[]', '{"a":1}{', `{"text":"${'x'.repeat(70_000)}"}`),
  );
  const types = fc.oneof(
    { weight: 30, arbitrary: fc.constant(type) },
    {
      weight: 1,
      arbitrary: fc.constantFrom('text/plain', 'application/xml', 'application/json; charset=latin1'),
    },
  );
  const text = fc.oneof({ weight: 15, arbitrary: written }, { weight: 1, arbitrary: broken });
  return fc.record({ type: types, text });
}

const textOf = (value: unknown): string =>
  typeof value === 'string' ? value : (JSON.stringify(value) ?? '');
