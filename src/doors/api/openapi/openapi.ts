import type { JsonSchema } from './schemas.js';

/** The used parts of OpenAPI 3.1 (https://spec.openapis.org/oas/v3.1.1.html). */
export interface OpenApi {
  readonly openapi: '3.1.1';
  readonly info: { readonly title: string; readonly version: string; readonly description: string };
  readonly servers: readonly { readonly url: string }[];
  readonly tags: readonly { readonly name: string; readonly description: string }[];
  readonly paths: Readonly<Record<string, PathItem>>;
  readonly components: {
    readonly schemas: Readonly<Record<string, JsonSchema>>;
    readonly headers: Readonly<Record<string, HeaderObject>>;
    readonly examples: Readonly<Record<string, ExampleObject>>;
    readonly securitySchemes: Readonly<Record<string, JsonSchema>>;
  };
}

export const httpMethods = ['get', 'post', 'put', 'patch', 'delete'] as const;
export type Method = (typeof httpMethods)[number];

export type PathItem = { readonly description: string } & {
  readonly [Name in Method]?: OperationObject;
};

export interface OperationAtPath {
  readonly path: string;
  readonly method: Method;
  readonly operation: OperationObject;
}

export const operationsOf = ({ paths }: Pick<OpenApi, 'paths'>): readonly OperationAtPath[] =>
  Object.entries(paths).flatMap(([path, item]) =>
    httpMethods.flatMap((method) => (item[method] ? { path, method, operation: item[method] } : [])),
  );

export interface OperationObject {
  readonly operationId: string;
  readonly tags: readonly string[];
  readonly summary: string;
  readonly description?: string;
  /** Alternatives, each with the scopes of its scheme. An empty object means that no credential is needed. */
  readonly security: readonly Readonly<Record<string, readonly string[]>>[];
  readonly parameters: readonly ParameterObject[];
  readonly requestBody?: { readonly required: true; readonly content: MediaTypes };
  readonly responses: Readonly<Record<string, ResponseObject>>;
}

export interface ParameterObject {
  readonly name: string;
  readonly in: 'path' | 'query' | 'header';
  readonly required: boolean;
  readonly description?: string | undefined;
  readonly schema: JsonSchema;
  readonly example?: unknown;
}

export interface ResponseObject {
  readonly description: string;
  readonly headers?: Readonly<Record<string, HeaderObject | Reference>>;
  readonly content?: MediaTypes;
}

export interface HeaderObject {
  readonly description: string;
  readonly required: boolean;
  readonly schema: JsonSchema;
  readonly example: string;
}

export interface ExampleObject {
  readonly value: unknown;
}

export interface Reference {
  readonly $ref: string;
}

export type MediaTypes = Readonly<
  Record<
    string,
    {
      readonly schema: JsonSchema;
      readonly example?: unknown;
      readonly examples?: Readonly<Record<string, ExampleObject | Reference>>;
    }
  >
>;
