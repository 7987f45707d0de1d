import { html } from '../../../../base/pages/html.js';
import type { Html } from '../../../../base/pages/html.js';
import { pageLayout, pageHeaders, StyleSheet } from '../../../../base/pages/layout.js';
import { operationsOf } from '../../openapi/openapi.js';
import type { OpenApi, OperationAtPath } from '../../openapi/openapi.js';
import { operationHtml } from './operation.html.js';
import { exampleHtml, fieldsHtml, descriptionHtml, typeOf } from './schema.html.js';
import { docsStyle } from './style.js';

const sheet = new StyleSheet(docsStyle);

export const docsHeaders = pageHeaders(undefined, sheet);

export function docsPage(document: OpenApi): string {
  const operations = operationsOf(document);
  const groups = document.tags.map(({ name, description }) => ({
    name,
    description,
    members: operations.filter(({ operation }) => operation.tags.includes(name)),
  }));
  const paragraphs = document.info.description
    .split('\n\n')
    .map((each) => html`<p>${descriptionHtml(each)}</p>`);
  const content = html`
    <div class="card">
      <h1>The API, version ${document.info.version}</h1>
      ${paragraphs}
      <p>
        At <code>${document.servers.map(({ url }) => url).join(', ')}</code>. As OpenAPI 3.1:
        <a href="/api/openapi.json">/api/openapi.json</a>.
      </p>
    </div>
    <nav class="card" aria-label="Operations">${groups.map(indexHtml)}</nav>
    ${groups.map(
      ({ name, description, members }) =>
        html`<section aria-labelledby="tag-${name}">
          <h2 class="group" id="tag-${name}">${description}</h2>
          ${members.map((each) => operationHtml(each, document))}
        </section>`,
    )}
    ${schemasHtml(document)} ${codesHtml(document)}
  `;
  return pageLayout('API', content, { wide: true, sheet });
}

function indexHtml({
  name,
  description,
  members,
}: {
  readonly name: string;
  readonly description: string;
  readonly members: readonly OperationAtPath[];
}): Html {
  const rows = members.map(
    ({ method, path, operation }) =>
      html`<li>
        <span class="method ${method}">${method.toUpperCase()}</span>
        <a href="#${operation.operationId}">${path}</a> <span class="quiet">${operation.summary}</span>
      </li>`,
  );
  return html`<h2><a href="#tag-${name}">${description}</a></h2>
    <ul class="index">
      ${rows}
    </ul>`;
}

function schemasHtml({ components }: OpenApi): Html {
  const schemas = Object.entries(components.schemas).map(([name, schema]) => {
    const { description, examples } = schema as { description?: string; examples?: readonly unknown[] };
    return html`<article class="card operation" id="schema-${name}">
      <h3><a href="#schema-${name}">${name}</a></h3>
      ${description === undefined ? undefined : html`<p>${descriptionHtml(description)}</p>`}
      ${fieldsHtml(schema) ?? html`<p>${typeOf(schema)}</p>`} ${examples?.map(exampleHtml)}
    </article>`;
  });
  return html`<section aria-labelledby="schemas">
    <h2 class="group" id="schemas">Schemas</h2>
    ${schemas}
  </section>`;
}

function codesHtml({ components }: OpenApi): Html {
  const rows = Object.entries(components.examples).map(
    ([code, { value }]) =>
      html`<div id="code-${code}">
        <dt><code>${code}</code></dt>
        <dd>${(value as { message: string }).message}</dd>
      </div>`,
  );
  return html`<section class="card" aria-labelledby="codes">
    <h2 id="codes">Error codes</h2>
    <dl class="fields-of">${rows}</dl>
  </section>`;
}
