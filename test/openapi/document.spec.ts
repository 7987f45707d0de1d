import { readFileSync } from 'node:fs';
import { Validator } from '@seriousme/openapi-schema-validator';
import { describe, expect, it } from '@jest/globals';
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { isBrowserPath, protocolEndpoints } from '../../src/doors/auth/rules/routes.js';
import { HttpModule } from '../../src/doors/api/http.module.js';
import { documentOf } from '../../src/doors/api/openapi/document.js';
import { operationsOf } from '../../src/doors/api/openapi/openapi.js';
import type {
  MediaTypes,
  ExampleObject,
  OperationObject,
  Reference,
} from '../../src/doors/api/openapi/openapi.js';

const document = documentOf(HttpModule, 'https://network.example');
const operations = operationsOf(document).map(({ path, method, operation }): [string, OperationObject] => [
  `${method.toUpperCase()} ${path}`,
  operation,
]);
const names = operations.map(([name]) => name);

/** Operations in the tables of a published page. */
function operationsIn(page: string): string[] {
  const text = readFileSync(new URL(`../../docs/${page}`, import.meta.url), 'utf8');
  const inOneCell = text.matchAll(/^\| ([A-Z, ]+) (\/[\w./{}-]+) +\|/gm);
  const inTwoCells = text.matchAll(/^\| (GET|POST) +\| (\/[\w./{}-]+) +\|/gm);
  return [...inOneCell, ...inTwoCells].flatMap(([, methods = '', path]) =>
    methods.split(', ').map((method) => `${method} ${path}`),
  );
}

describe('the document', () => {
  it('is OpenAPI 3.1', async () => {
    const validator = new Validator();
    const { valid, errors } = await validator.validate(structuredClone(document) as never);
    expect([valid, errors, validator.version]).toEqual([true, undefined, '3.1']);
  });

  it('has the version of the published API, and does not vary [service-pilot, version-label]', () => {
    expect(document.info.version).toBe('pilot');
    expect(JSON.stringify(documentOf(HttpModule, 'https://network.example'))).toBe(JSON.stringify(document));
  });

  it.each(['network-api.md', 'api-decisions.md'])(
    'has every operation of %s [service-capabilities]',
    (page) => {
      const published = operationsIn(page);
      expect(published.length).toBeGreaterThan(10);
      expect(published.filter((name) => !names.includes(name))).toEqual([]);
    },
  );

  it('names each object once, and refers to each component', () => {
    const objectsIn = (part: unknown) => JSON.stringify(part).split('"type":"object"').length - 1;
    const { securitySchemes: _referredByName, ...components } = document.components;
    expect(objectsIn(document.paths)).toBe(0);
    const nested = Object.entries(components.schemas).filter(
      ([, schema]) => objectsIn(schema) !== Number(schema['type'] === 'object'),
    );
    expect(nested).toEqual([]);
    const unused = Object.entries(components).flatMap(([kind, named]) =>
      Object.keys(named).filter(
        (name) => !JSON.stringify(document).includes(`"$ref":"#/components/${kind}/${name}"`),
      ),
    );
    expect(unused).toEqual([]);
  });

  it('says of each integer that may exceed 32 bits that it has 64, and of each union what differs by what', () => {
    const narrow: unknown[] = [];
    const unions: unknown[] = [];
    JSON.stringify(
      document,
      (
        _name,
        part: {
          type?: unknown;
          maximum?: number;
          format?: unknown;
          oneOf?: unknown;
          discriminator?: { propertyName: string };
        } | null,
      ) => {
        if (part?.type === 'integer' && (part.maximum ?? Infinity) >= 2 ** 31 && part.format !== 'int64')
          narrow.push(part);
        if (part?.discriminator) unions.push(part.discriminator.propertyName);
        return part;
      },
    );
    expect(narrow).toEqual([]);
    expect(new Set(unions)).toEqual(new Set(['kind', 'grant_type']));
  });

  it('has every endpoint of the authorization server except those for browsers', () => {
    const served = protocolEndpoints
      .filter(([, path]) => !isBrowserPath(path))
      .map(([method, path]) => `${method} /api/auth${path}`);
    const described = names.filter((name) => name.includes(' /api/auth/'));
    expect(described.toSorted()).toEqual(served.toSorted());
  });
});

describe('the operations', () => {
  it('declare the published statuses of refusals and no others [error-statuses, profile-refusals]', () => {
    const text = readFileSync(new URL('../../docs/network-api.md', import.meta.url), 'utf8');
    const [, published = ''] = /^Declared HTTP statuses for refusals: ([\d, ]+)\.$/m.exec(text) ?? [];
    const [, ofProfile = ''] = /^- Refusals: ([\d, ]+) \(Error object\)\.$/m.exec(text) ?? [];
    expect([published.split(', ').length, ofProfile]).toEqual([11, published]);
    const statusesOf = (all: typeof operations) =>
      [...new Set(all.flatMap(([, { responses }]) => Object.keys(responses)))].filter(
        (status) => status !== '200',
      );
    expect(statusesOf(operations).sort().join(', ')).toBe(published);
    const profile = operations.filter(([name]) => name === 'GET /api/profile');
    expect(statusesOf(profile).sort().join(', ')).toBe(published);
  });

  it('declare every published field with a time or a revision as an integer [post-revision, post-created-at, post-last-edit-at, relation-created-at, inbox-created-at, inbox-read-at, own-profile-revision]', () => {
    const found = new Map<string, Set<unknown>>();
    JSON.stringify(document.components.schemas, (_name, value: unknown) => {
      for (const [field, schema] of Object.entries(
        (value as { properties?: Record<string, { type?: unknown }> } | null)?.properties ?? {},
      ))
        found.set(field, (found.get(field) ?? new Set()).add(schema.type));
      return value;
    });
    for (const field of ['createdAt', 'lastEditAt', 'readAt', 'revision', 'at', 'position'])
      expect([field, ...(found.get(field) ?? [])]).toEqual([field, 'integer']);
  });

  it('have no version in their paths [version-path]', () => {
    expect(names.filter((name) => /\/v?\d/.test(name))).toEqual([]);
  });
});

describe('each operation', () => {
  const ajv = new Ajv2020({ strict: false, validateSchema: false, allErrors: true });
  addFormats.default(ajv);
  ajv.addSchema(document, 'api');
  const inDocument = (schema: object): object =>
    JSON.parse(JSON.stringify(schema).replaceAll('"#/components', '"api#/components')) as object;

  function valueOf(example: ExampleObject | Reference): unknown {
    return 'value' in example
      ? example.value
      : document.components.examples[example.$ref.split('/').at(-1) ?? '']?.value;
  }

  /** Examples that do not match their schema. */
  const invalidExamples = (content: MediaTypes = {}): string[] =>
    Object.entries(content)
      .filter(([type]) => type !== 'text/event-stream')
      .flatMap(([, { schema, example, examples }]) =>
        (examples ? Object.values(examples).map(valueOf) : [example]).flatMap((value) =>
          value !== undefined && ajv.validate(inDocument(schema), value)
            ? []
            : [`${JSON.stringify(value)}: ${ajv.errorsText()}`],
        ),
      );

  it.each(operations)('%s has examples that match its schemas', (_name, operation) => {
    const bodies = [operation.requestBody, ...Object.values(operation.responses)];
    expect(bodies.flatMap((body) => invalidExamples(body?.content))).toEqual([]);
  });

  it.each(operations)('%s has a summary of its own, known tags and all its refusals', (_name, operation) => {
    const { summary, tags, responses } = operation;
    expect(summary).toMatch(/^[A-Z].+[^.]$/);
    expect(operations.filter(([, other]) => other.summary === summary)).toHaveLength(1);
    expect(document.tags.map(({ name }) => name)).toEqual(expect.arrayContaining([...tags]));
    expect(Object.keys(responses)).toEqual(expect.arrayContaining(['200', '400', '403', '405', '500']));
    // Public endpoints of the authorization server answer from memory, without a store.
    const isOfSomebody = operation.security.some((scheme) => Object.keys(scheme).length > 0);
    expect('503' in responses).toBe(isOfSomebody);
    const withoutHeader = Object.entries({
      401: 'www-authenticate',
      405: 'allow',
      429: 'retry-after',
      503: 'retry-after',
    }).filter(([status, header]) => responses[status] && !responses[status].headers?.[header]);
    expect(withoutHeader).toEqual([]);
  });
});
