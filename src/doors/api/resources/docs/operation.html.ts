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
import { exampleHtml, fieldsHtml, descriptionHtml, typeOf } from './schema.html.js';

export function operationHtml({ method, path, operation }: OperationAtPath, document: OpenApi): Html {
  const { operationId, summary, description, parameters, requestBody, responses } = operation;
  const { 200: success, ...refusals } = responses;
  return html`<article class="card operation" id="${operationId}">
    <h3><a href="#${operationId}">${summary}</a></h3>
    <p class="address"><span class="method ${method}">${method.toUpperCase()}</span> <code>${path}</code></p>
    ${description === undefined ? undefined : html`<p>${descriptionHtml(description)}</p>`}
    <p class="small quiet">${accessOf(operation)}</p>
    ${
      parameters.length === 0
        ? undefined
        : html`<h4>Parameters</h4>
            ${parametersHtml(parameters)}`
    }
    ${
      requestBody &&
      html`<h4>Body</h4>
        ${contentHtml(requestBody.content)}`
    }
    <h4>200</h4>
    ${success && answerHtml(success, document)}
    <details>
      <summary>Refusals</summary>
      <dl class="fields-of">${Object.entries(refusals).map(refusalHtml)}</dl>
    </details>
  </article>`;
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

function contentHtml(content: MediaTypes): Html {
  const parts = Object.entries(content).map(
    ([type, { schema, example }]) =>
      html`<p class="small quiet">${type}: ${typeOf(schema)}</p>
        ${fieldsHtml(schema)}${example === undefined ? undefined : exampleHtml(example)}`,
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
  return html`${content ? contentHtml(content) : html`<p class="small quiet">An empty body.</p>`}
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
  const codes = Object.values(content).flatMap(({ examples = {} }) =>
    Object.entries(examples).map(([code, example]) =>
      '$ref' in example
        ? html`<li>
            <a href="#code-${code}"><code>${code}</code></a>
          </li>`
        : html`<li><code>${code}</code></li>`,
    ),
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
