import { html } from '../../../../base/pages/html.js';
import type { Html } from '../../../../base/pages/html.js';
import type {
  MediaTypes,
  OpenApi,
  OperationObject,
  ParameterObject,
  OperationAtPath,
  ResponseObject,
} from '../../openapi/openapi.js';
import { codeHtml, headingHtml, jsonHtml } from './code.html.js';
import { entryOf } from './errors.html.js';
import { samplesOf } from './samples.js';
import { fieldsHtml, descriptionHtml, typeOf } from './schema.html.js';

/** `level`: of the heading; 1 on a page of its own. */
export function operationHtml(at: OperationAtPath, document: OpenApi, level: number): Html {
  const { method, path, operation } = at;
  const { operationId: id, summary, description, parameters, requestBody, responses } = operation;
  const { 200: success, ...refusals } = responses;
  const part = (name: string, title: string) => headingHtml(level + 1, `${id}-${name}`, title);
  return html`<article class="operation">
    <div>
      ${headingHtml(level, id, summary)}
      <p class="address">${methodHtml(method)} <code>${path}</code></p>
      ${description === undefined ? undefined : html`<p>${descriptionHtml(description)}</p>`}
      <p class="small quiet">${accessOf(operation)}</p>
      ${
        parameters.length === 0
          ? undefined
          : html`${part('parameters', 'Parameters')}${parametersHtml(parameters)}`
      }
      ${requestBody && html`${part('body', 'Body')}${contentHtml(requestBody.content, document)}`}
      ${part('answer', 'Answer')} ${success && answerHtml(success, document)} ${part('errors', 'Errors')}
      <dl class="fields-of">${Object.entries(refusals).map(refusalHtml)}</dl>
    </div>
    <div class="samples">${samplesHtml(at, document, success)}</div>
  </article>`;
}

export const methodHtml = (method: string): Html =>
  html`<span class="method ${method}">${method.toUpperCase()}</span>`;

function samplesHtml(at: OperationAtPath, { servers, components }: OpenApi, success?: ResponseObject): Html {
  const { curl, typescript } = samplesOf(at, servers[0]?.url ?? '', components.schemas);
  const answers = Object.entries(success?.content ?? {}).flatMap(([, { example }]) =>
    example === undefined ? [] : [jsonHtml(example, 'The answer')],
  );
  return html`${codeHtml(curl, 'sh', 'curl')} ${codeHtml(typescript, 'ts', 'TypeScript')} ${answers}`;
}

function accessOf({ security }: OperationObject): Html {
  const [first = {}] = security;
  const isAnonymous = security.some((scheme) => Object.keys(scheme).length === 0);
  if ('client' in first) return html`As the application, with HTTP Basic.`;
  if (!('network' in first)) return html`No credential.`;
  const [scope] = first['network'] ?? [];
  const token =
    scope === undefined ? html`Any access token` : html`An access token with <code>${scope}</code>`;
  return isAnonymous ? html`${token}, or anonymously.` : html`${token}.`;
}

function parametersHtml(parameters: readonly ParameterObject[]): Html {
  const rows = parameters.map(
    ({ name, in: place, required, description, schema }) =>
      html`<div>
        <dt>
          <code>${name}</code> <span class="quiet small">${required ? place : `${place}, optional`}</span>
        </dt>
        <dd>
          ${typeOf(schema)}${description === undefined ? undefined : html`<br /><span class="quiet">${descriptionHtml(description)}</span>`}
        </dd>
      </div>`,
  );
  return html`<dl class="fields-of">${rows}</dl>`;
}

function contentHtml(content: MediaTypes, { components }: OpenApi): Html {
  const parts = Object.entries(content).map(
    ([type, { schema }]) =>
      html`<p class="small quiet">${type}: ${typeOf(schema)}</p>
        ${fieldsHtml(schema, components.schemas)}`,
  );
  return html`${parts}`;
}

function answerHtml({ headers = {}, content }: ResponseObject, document: OpenApi): Html {
  const rows = Object.entries(headers).map(([name, header]) => {
    const component = '$ref' in header ? header.$ref.split('/').at(-1) : undefined;
    const described = document.components.headers[component ?? ''];
    return html`<div>
      <dt><code>${name}</code></dt>
      <dd class="quiet">${descriptionHtml(described?.description ?? '')}</dd>
    </div>`;
  });
  return html`${content ? contentHtml(content, document) : html`<p class="small quiet">An empty body.</p>`}
  ${
    rows.length === 0
      ? undefined
      : html`<details>
          <summary>Headers</summary>
          <dl class="fields-of">${rows}</dl>
        </details>`
  }`;
}

function refusalHtml([status, { content = {} }]: [string, ResponseObject]): Html {
  const codes = Object.values(content)
    .flatMap(({ examples = {} }) => Object.entries(examples))
    .map(
      ([code, example]) =>
        html`<li>
          <a href="/docs/errors#${entryOf(code, example)}"><code>${code}</code></a>
        </li>`,
    );
  return html`<div>
    <dt>${status}</dt>
    <dd>
      <ul class="codes">
        ${codes}
      </ul>
    </dd>
  </div>`;
}
