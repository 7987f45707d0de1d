import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { httpMethods } from '../../src/doors/api/openapi/openapi.js';
import type {
  Method,
  OpenApi,
  OperationObject,
  PathItem,
  ResponseObject,
} from '../../src/doors/api/openapi/openapi.js';

/** A request and its answer, with the body as sent. */
export interface Exchange {
  readonly method: string;
  /** With the query. */
  readonly path: string;
  readonly status: number;
  readonly header: (name: string) => string | undefined;
  readonly body: string;
}

/** Response headers that the document must declare. */
const apiHeaders = /^(x-network-.*|retry-after|ratelimit.*|www-authenticate|link)$/;

/** Checks answers against the OpenAPI document: statuses, headers and bodies of every documented path. */
export class Conformance {
  private readonly ajv = new Ajv2020({ strict: false, validateSchema: false });
  private readonly templates: readonly { readonly path: string; readonly pattern: RegExp }[];

  constructor(private readonly document: OpenApi) {
    addFormats.default(this.ajv);
    this.ajv.addSchema(document, 'api');
    this.templates = Object.keys(document.paths).map((path) => ({
      path,
      pattern: new RegExp(`^${path.replaceAll('.', '\\.').replaceAll(/\{\w+\}/g, '[^/]*')}$`),
    }));
  }

  /** `headers`: names of all response headers. @throws {Error} the document has no such answer. */
  check(exchange: Exchange, headers: Iterable<string>): void {
    const pathname = exchange.path.split('?')[0] ?? '';
    const path = this.templates.find(({ pattern }) => pattern.test(pathname))?.path;
    if (path === undefined) return;
    const fail = (what: string): never => {
      const { method, status, body } = exchange;
      throw new Error(`not in the document: ${method} ${path} ${status}: ${what}\n${body.slice(0, 2_000)}`);
    };
    const method =
      exchange.method === 'HEAD' && exchange.status !== 405 ? 'get' : exchange.method.toLowerCase();
    const item = this.document.paths[path] ?? fail('no such path');
    const operation = item[method as Method];
    if (!operation) return this.checkOther(exchange, item, headers, fail);
    const response = operation.responses[exchange.status] ?? fail('no such status');
    this.checkHeaders(exchange, response, headers, fail);
    if (exchange.method !== 'HEAD') this.checkBody(exchange, operation, [path, method], fail);
  }

  /** An undocumented method must be refused, with 405 or as a malformed or foreign request. */
  private checkOther(
    exchange: Exchange,
    item: PathItem,
    headers: Iterable<string>,
    fail: (what: string) => never,
  ): void {
    const { method, status, header, body } = exchange;
    if (![400, 403, 405].includes(status)) fail('no such method');
    const allow = header('allow');
    if (status === 405) {
      if (!item.description.includes(`\`Allow: ${allow}\``)) fail(`allow: ${allow}`);
      for (const name of httpMethods) {
        const declared = item[name]?.responses[405];
        if (declared) this.checkHeaders(exchange, declared, headers, fail);
        else if (item[name]) fail('no such status');
      }
    }
    if (method !== 'HEAD') this.validate(JSON.parse(body), 'api#/components/schemas/Error', fail);
  }

  private checkHeaders(
    { header }: Exchange,
    response: ResponseObject,
    names: Iterable<string>,
    fail: (what: string) => never,
  ): void {
    const declared = response.headers ?? {};
    for (const name of names)
      if (apiHeaders.test(name) && !(name in declared)) fail(`a header ${name}: ${header(name)}`);
    for (const [name, reference] of Object.entries(declared)) {
      const component = '$ref' in reference ? reference.$ref.split('/').at(-1) : undefined;
      const { required, schema } =
        this.document.components.headers[component ?? ''] ?? fail(`header ${name}?`);
      const value = header(name);
      if (value === undefined && required) fail(`no header ${name}`);
      if (value === undefined) continue;
      const fits: boolean = this.ajv.validate(schema, value);
      if (!fits) fail(`header ${name}: ${value}`);
    }
  }

  private checkBody(
    { status, header, body }: Exchange,
    operation: OperationObject,
    where: readonly string[],
    fail: (what: string) => never,
  ): void {
    const { content } = operation.responses[status] ?? {};
    if (!content) {
      if (body !== '') fail('a body');
      return;
    }
    const type = (header('content-type') ?? '').split(';')[0] ?? '';
    if (!(type in content)) fail(`content type ${type}`);
    if (!type.endsWith('json')) return;
    const steps = ['paths', ...where, 'responses', String(status), 'content', type, 'schema'];
    const pointer = steps.map((step) => encodeURIComponent(step.replaceAll('~', '~0').replaceAll('/', '~1')));
    const answered = JSON.parse(body) as { readonly error?: string };
    this.validate(answered, `api#/${pointer.join('/')}`, fail);
    const { examples } = content[type] ?? {};
    if (examples && !(String(answered.error) in examples)) fail(`code ${answered.error}`);
  }

  private validate(value: unknown, schema: string, fail: (what: string) => never): void {
    const validate = this.ajv.getSchema(schema) ?? fail(`no schema ${schema}`);
    if (!validate(value)) fail(this.ajv.errorsText(validate.errors));
  }
}
