import type { OperationAtPath, ParameterObject } from '../../openapi/openapi.js';
import type { JsonSchema } from '../../openapi/schemas.js';
import { resolved } from './schema.html.js';
import type { NamedSchemas } from './schema.html.js';

/** A call of an operation, taken from its examples. A value like `$POST_ID` is a variable of the environment. */
interface Call {
  readonly method: string;
  readonly path: string;
  readonly inPath: Readonly<Record<string, unknown>>;
  readonly query: Readonly<Record<string, unknown>>;
  readonly credential: 'token' | 'client' | undefined;
  readonly body: unknown;
  readonly isForm: boolean;
}

const FORM = 'application/x-www-form-urlencoded';

/** Values that differ for each reader. */
const VARYING = /^(?!intentId$)\w+Id$|^(?:code|code_verifier|refresh_token|token)$/;

const variable = (name: string): string => `$${name.replaceAll(/(?<=[a-z])(?=[A-Z])/g, '_').toUpperCase()}`;

const withVariables = (value: unknown): unknown =>
  JSON.parse(JSON.stringify(value, (name, inner: unknown) => (VARYING.test(name) ? variable(name) : inner)));

function callOf({ method, path, operation }: OperationAtPath, named: NamedSchemas): Call {
  const { operationId, parameters, requestBody, security } = operation;
  const [type, content] = Object.entries(requestBody?.content ?? {})[0] ?? [];
  const given = (place: ParameterObject['in'], valueOf: (parameter: ParameterObject) => unknown) =>
    Object.fromEntries(
      parameters
        .filter((parameter) => parameter.in === place)
        .map((parameter): [string, unknown] => [parameter.name, valueOf(parameter)])
        .filter(([, value]) => value !== undefined),
    );
  const schemes = new Set(security.flatMap((scheme) => Object.keys(scheme)));
  return {
    method: method.toUpperCase(),
    path,
    inPath: given('path', ({ name, schema }) => pathValue(path, name, resolved(schema, named))),
    query: given('query', (parameter) => queryValue(operationId, parameter, named)),
    credential: schemes.has('client') ? 'client' : schemes.has('network') ? 'token' : undefined,
    body: content && withVariables(content.example),
    isForm: type === FORM,
  };
}

/** `{id}` is named after the collection that it is in. */
function pathValue(path: string, name: string, { enum: values }: JsonSchema): unknown {
  if (Array.isArray(values)) return values[0];
  const [, collection = ''] = new RegExp(String.raw`(\w+?)s?/\{${name}\}`).exec(path) ?? [];
  return variable(name === 'id' ? `${collection}Id` : name);
}

/** An optional parameter is left out unless the document has an example of it. */
function queryValue(
  operationId: string,
  { name, required, example, schema }: ParameterObject,
  named: NamedSchemas,
): unknown {
  const { examples = [], type } = resolved(schema, named) as { examples?: readonly unknown[]; type?: string };
  const shown = example ?? examples[0];
  if (shown !== undefined || !required) return shown;
  if (name === 'intentId') return `${operationId}-1`;
  return type === 'integer' ? 1 : '1';
}

export interface Samples {
  readonly curl: string;
  readonly typescript: string;
}

/** Programs that call the operation. They are whole: a test runs each as it is shown. */
export function samplesOf(at: OperationAtPath, baseUrl: string, named: NamedSchemas): Samples {
  const call = callOf(at, named);
  return { curl: curlOf(call, baseUrl), typescript: typescriptOf(call) };
}

function curlOf({ method, path, inPath, query, credential, body, isForm }: Call, baseUrl: string): string {
  const filled = path.replaceAll(/\{(\w+)\}/g, (_whole, name: string) => String(inPath[name]));
  const search = Object.entries(query).map(([name, value]) => `${name}=${encodeURIComponent(String(value))}`);
  const address = [baseUrl + filled, ...(search.length > 0 ? [search.join('&')] : [])].join('?');
  const isImplied = method === 'GET' || (method === 'POST' && body !== undefined);
  const json = body !== undefined && !isForm;
  return [
    `curl "${address}"`,
    ...(isImplied ? [] : [`-X ${method}`]),
    ...(credential === 'token' ? ['-H "Authorization: Bearer $TOKEN"'] : []),
    ...(credential === 'client' ? ['-u "$CLIENT_ID:$CLIENT_SECRET"'] : []),
    ...(isForm
      ? Object.entries(body as object).map(([name, value]) => `--data-urlencode "${name}=${String(value)}"`)
      : []),
    // In a here-document the shell fills in the variables, and no quotation mark needs a backslash.
    ...(json ? [`--json @- <<EOF\n${JSON.stringify(body, undefined, 2)}\nEOF`] : []),
  ].join(' \\\n  ');
}

function typescriptOf({ method, path, inPath, query, credential, body, isForm }: Call): string {
  const params = {
    ...(Object.keys(inPath).length > 0 && { path: inPath }),
    ...(Object.keys(query).length > 0 && { query }),
  };
  const headers = {
    ...(credential === 'client' && { Authorization: '`Basic ${basic}`' }),
    ...(isForm && { 'Content-Type': FORM }),
  };
  const given = [
    ...(Object.keys(params).length > 0 ? [['params', params] as const] : []),
    ...(Object.keys(headers).length > 0 ? [['headers', headers] as const] : []),
    ...(body === undefined ? [] : [['body', body] as const]),
  ];
  const names = new Set(JSON.stringify([inPath, query, body]).match(/(?<="\$)[A-Z_]+(?=")/g));
  const read = [
    ...(credential === 'client' ? ['CLIENT_ID', 'CLIENT_SECRET'] : []),
    ...[...names].map((name) => `${name} = ''`),
  ];
  return [
    "import { plaza } from './plaza.ts';",
    '',
    ...(read.length > 0 ? [`const { ${read.join(', ')} } = process.env;`] : []),
    ...(credential === 'client' ? ['const basic = btoa(`${CLIENT_ID}:${CLIENT_SECRET}`);'] : []),
    `const { data, error } = await plaza.${method}('${path}'${
      given.length > 0
        ? `, {\n${given.map(([name, value]) => `  ${name}: ${literal(value, '  ')},\n`).join('')}}`
        : ''
    });`,
    'if (error) throw new Error(error.error);',
    'console.log(data);',
  ].join('\n');
}

const LINE = 72;

/** A value as a literal of TypeScript. A variable and a template stand for themselves. */
function literal(value: unknown, indent: string): string {
  if (typeof value === 'string') {
    if (value.startsWith('$')) return value.slice(1);
    return value.startsWith('`') ? value : `'${value.replaceAll(/['\\]/g, String.raw`\$&`)}'`;
  }
  if (Array.isArray(value)) return `[${value.map((each) => literal(each, indent)).join(', ')}]`;
  if (typeof value !== 'object' || value === null) return String(value);
  const entries = Object.entries(value).map(
    ([name, inner]) => `${/^\w+$/.test(name) ? name : `'${name}'`}: ${literal(inner, `${indent}  `)}`,
  );
  const line = `{ ${entries.join(', ')} }`;
  if (line.length <= LINE && !line.includes('\n')) return line;
  return `{\n${entries.map((entry) => `${indent}  ${entry},\n`).join('')}${indent}}`;
}

/** Makes the client that each sample in TypeScript imports. */
export const setUpOf = (baseUrl: string): { readonly install: string; readonly client: string } => ({
  install: `npm init -y
npm pkg set type=module
npm install openapi-fetch openapi-typescript
npx openapi-typescript ${baseUrl}/api/openapi.json -o plaza-api.d.ts`,
  client: `// plaza.ts
import createClient from 'openapi-fetch';
import type { paths } from './plaza-api.d.ts';

export const plaza = createClient<paths>({
  baseUrl: '${baseUrl}',
  headers: { Authorization: \`Bearer \${process.env['TOKEN']}\` },
});`,
});
