import type { Type } from '@nestjs/common';
import { scopeDescriptions } from '../../../domain/grant/scopes.js';
import { errorObject } from '../requests/error-object.js';
import { endpointsOf } from './endpoint.js';
import { headerComponents } from './header-objects.js';
import { limitTexts } from './limit-texts.js';
import { httpMethods } from './openapi.js';
import type { OpenApi, OperationObject, OperationAtPath } from './openapi.js';
import { documentedProtocolEndpoints } from './protocol-endpoints.js';
import { protocolOperation } from './protocol-operation.js';
import { refusalExamples } from './refusal-responses.js';
import { Schemas } from './schemas.js';
import { socialOperation } from './social-operation.js';

const tags = {
  session: 'The actor and application of an access token',
  profile: "The caller's own profile",
  actors: 'Actors and their follows',
  posts: 'Posts and replies',
  timeline: 'The home timeline',
  relations: 'Follows and likes',
  blocks: 'Actors that the caller blocks',
  inbox: "The caller's notifications",
  reports: 'Reports to the operators',
  reconcile: 'Bringing a copy up to date',
  events: 'A feed of changes, in pages or as a stream',
  intents: 'Outcomes of mutations',
  auth: 'The authorization server',
};

const description = `The social network's API for applications. Version \`pilot\`: breaking changes are possible; the changelog announces them.

The acting actor is always the actor of the access token. Every mutation carries an \`intentId\`, its idempotency key: repeat the identical request with the same \`intentId\` until it is answered, and it is executed once. Reads are read-your-writes: every later read of an actor shows the actor's answered writes. A page may be short or empty and still carry a cursor; only the last page has none.`;

/** Returns the OpenAPI document of the controllers and the authorization server, in a stable order. */
export function documentOf(module: Type, baseUrl: string): OpenApi {
  const schemas = new Schemas();
  schemas.of(errorObject);
  const place = <Of extends Omit<OperationAtPath, 'operation'>>(
    endpoint: Of,
    describe: (endpoint: Of, schemas: Schemas) => OperationObject,
  ): OperationAtPath => ({
    path: endpoint.path,
    method: endpoint.method,
    operation: describe(endpoint, schemas),
  });
  const operations = [
    ...endpointsOf(module).map((endpoint) => place(endpoint, socialOperation)),
    ...documentedProtocolEndpoints.map((endpoint) => place(endpoint, protocolOperation)),
  ];
  const used = new Set(operations.flatMap(({ operation }) => operation.tags));
  const paths = pathsOf(operations);
  const referenced = referencesIn(paths);
  return {
    openapi: '3.1.1',
    info: { title: 'Plaza', version: 'pilot', description: [description, ...limitTexts].join('\n\n') },
    servers: [{ url: baseUrl }],
    tags: Object.entries(tags)
      .map(([name, description]) => ({ name, description }))
      .filter(({ name }) => used.has(name)),
    paths,
    components: {
      schemas: schemas.components,
      examples: only(refusalExamples, referenced),
      headers: only(headerComponents(schemas), referenced),
      securitySchemes: securitySchemes(`${baseUrl}/api/auth`),
    },
  };
}

/** Returns the names of all components that a part of the document refers to. */
const referencesIn = (part: unknown): ReadonlySet<string> =>
  new Set([...JSON.stringify(part).matchAll(/"#\/components\/\w+\/([^"]+)"/g)].map(([, name = '']) => name));

const only = <Component>(
  components: Readonly<Record<string, Component>>,
  names: ReadonlySet<string>,
): Readonly<Record<string, Component>> =>
  Object.fromEntries(Object.entries(components).filter(([name]) => names.has(name)));

/**
 * Groups the operations by path, in a stable order.
 * @throws {Error} two operations have the same id.
 */
function pathsOf(operations: readonly OperationAtPath[]): OpenApi['paths'] {
  const ids = operations.map(({ operation }) => operation.operationId);
  const duplicate = ids.find((id, index) => ids.indexOf(id) !== index);
  if (duplicate !== undefined) throw new Error(`two operations of the API have the same id: ${duplicate}`);
  const sorted = operations.toSorted((a, b) =>
    a.path === b.path
      ? httpMethods.indexOf(a.method) - httpMethods.indexOf(b.method)
      : a.path < b.path
        ? -1
        : 1,
  );
  const byPath = Object.groupBy(sorted, ({ path }) => path);
  return Object.fromEntries(
    Object.entries(byPath).map(([path, placed = []]) => [
      path,
      {
        description: `Other methods: 405 \`invalid_request\`, with \`Allow: ${allowed(placed)}\`.`,
        ...Object.fromEntries(placed.map(({ method, operation }) => [method, operation])),
      },
    ]),
  );
}

/**
 * Lists the methods of a path as method-not-allowed.ts does: each GET also answers HEAD, except one that network-api.md
 * restricts to GET.
 */
function allowed(placed: readonly OperationAtPath[]): string {
  const names = placed.map(({ method }) => method.toUpperCase());
  const hasHead = placed.some(
    ({ method, operation }) => method === 'get' && operation.operationId !== 'getUserinfo',
  );
  return [...names, ...(hasHead ? ['HEAD'] : [])].sort().join(', ');
}

function securitySchemes(issuer: string): OpenApi['components']['securitySchemes'] {
  return {
    network: {
      type: 'oauth2',
      description: 'The authorization code flow of a confidential client, with S256 PKCE.',
      flows: {
        authorizationCode: {
          authorizationUrl: `${issuer}/oauth2/authorize`,
          tokenUrl: `${issuer}/oauth2/token`,
          refreshUrl: `${issuer}/oauth2/token`,
          scopes: scopeDescriptions,
        },
      },
    },
    client: {
      type: 'http',
      scheme: 'basic',
      description: 'Client identifier and secret of the application.',
    },
  };
}
