import type { Type } from '@nestjs/common';
import { scopeDescriptions } from '../../domain/grant/scopes.js';
import { errorBody } from '../requests/error-object.js';
import { endpointsOf } from './endpoint.js';
import { headerComponents } from './header-objects.js';
import { methods } from './openapi.js';
import type { OpenApi, OperationObject, Placed } from './openapi.js';
import { protocolEndpoints } from './protocol-endpoints.js';
import { protocolOperation } from './protocol-operation.js';
import { refusalExamples } from './refusals.js';
import { Schemas } from './schemas.js';
import { socialOperation } from './social-operation.js';

const tags = {
  session: 'Whom an access token speaks for',
  profile: "The caller's own profile",
  actors: 'People, and whom they follow',
  posts: 'Posts and replies',
  timeline: 'Posts of whom one follows',
  relations: 'Follows and likes',
  blocks: 'Whom the caller does not want to meet',
  inbox: 'What happened to the caller',
  reports: 'What moderators should look at',
  reconcile: 'A whole view of the network',
  events: 'What happens, as it happens',
  intents: 'What became of mutations',
  auth: 'The authorization server',
};

const description = `The social network's API for applications. Its version is \`pilot\`: breaking changes are possible, and the changelog announces them.

The acting actor is always that of the access token. Every mutation carries an \`intentId\`: repeat the identical request with the same one until it is answered, and it is done once. A write that was answered is in every later read of its actor. A page may be short or empty and still carry a cursor: the last page is the one without.`;

/** The published API of the module's controllers and of the authorization server, always in the same order. */
export function documentOf(module: Type, baseUrl: string): OpenApi {
  const schemas = new Schemas();
  schemas.of(errorBody);
  const place = <Of extends Omit<Placed, 'operation'>>(
    endpoint: Of,
    describe: (endpoint: Of, schemas: Schemas) => OperationObject,
  ): Placed => ({
    path: endpoint.path,
    method: endpoint.method,
    operation: describe(endpoint, schemas),
  });
  const operations = [
    ...endpointsOf(module).map((endpoint) => place(endpoint, socialOperation)),
    ...protocolEndpoints.map((endpoint) => place(endpoint, protocolOperation)),
  ];
  const used = new Set(operations.flatMap(({ operation }) => operation.tags));
  return {
    openapi: '3.1.1',
    info: { title: 'Plaza', version: 'pilot', description },
    servers: [{ url: baseUrl }],
    tags: Object.entries(tags)
      .map(([name, description]) => ({ name, description }))
      .filter(({ name }) => used.has(name)),
    paths: pathsOf(operations),
    components: {
      schemas: schemas.components,
      examples: refusalExamples,
      headers: headerComponents(schemas),
      securitySchemes: securitySchemes(`${baseUrl}/api/auth`),
    },
  };
}

/** @throws {Error} two operations have one name. */
function pathsOf(operations: readonly Placed[]): OpenApi['paths'] {
  const ids = operations.map(({ operation }) => operation.operationId);
  const twice = ids.find((id, index) => ids.indexOf(id) !== index);
  if (twice !== undefined) throw new Error(`two operations are named ${twice}`);
  const sorted = operations.toSorted((a, b) =>
    a.path === b.path ? methods.indexOf(a.method) - methods.indexOf(b.method) : a.path < b.path ? -1 : 1,
  );
  const byPath = Object.groupBy(sorted, ({ path }) => path);
  return Object.fromEntries(
    Object.entries(byPath).map(([path, there = []]) => [
      path,
      {
        description: `Other methods: 405 \`invalid_request\`, with \`Allow: ${allowed(there)}\`.`,
        ...Object.fromEntries(there.map(({ method, operation }) => [method, operation])),
      },
    ]),
  );
}

/** What the server says itself (method-not-allowed.ts): whatever answers GET answers HEAD, but for what network-api.md has as a GET alone. */
function allowed(there: readonly Placed[]): string {
  const names = there.map(({ method }) => method.toUpperCase());
  const hasHead = there.some(
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
