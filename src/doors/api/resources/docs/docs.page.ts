import { Html, html } from '../../../../base/pages/html.js';
import { limitTexts } from '../../openapi/limit-texts.js';
import { operationsOf } from '../../openapi/openapi.js';
import type { OpenApi } from '../../openapi/openapi.js';
import { codeHtml, headingHtml, jsonHtml } from './code.html.js';
import { errorsHtml } from './errors.html.js';
import { docsFrame } from './frame.js';
import type { Reference } from './frame.js';
import { methodHtml, operationHtml } from './operation.html.js';
import { setUpOf } from './samples.js';
import { descriptionHtml, fieldsHtml, typeOf } from './schema.html.js';

interface Page {
  readonly title: string;
  readonly content: Html;
}

/** The page at this path, as HTML; undefined: there is none. */
export function docsPage(path: string, reference: Reference): string | undefined {
  const page = pageAt(path, reference);
  return page && docsFrame(page.title, path, page.content, reference);
}

function pageAt(path: string, { document, guide }: Reference): Page | undefined {
  switch (path) {
    case '/docs':
      return { title: 'API', content: overviewHtml(document) };
    case '/docs/guide':
      return {
        title: 'Guide for applications',
        content: html`<div class="guide">${new Html(guide.html)}</div>`,
      };
    case '/docs/errors':
      return titled('Errors and their causes', errorsHtml(document, guide, 2));
    case '/docs/schemas':
      return titled('Schemas', schemasHtml(document, 2));
    case '/docs/all':
      return titled('The API on one page', wholeHtml({ document, guide }));
    default: {
      const found = operationsOf(document).find(
        ({ operation }) => path === `/docs/operations/${operation.operationId}`,
      );
      return found && { title: found.operation.summary, content: operationHtml(found, document, 1) };
    }
  }
}

const titled = (title: string, content: Html): Page => ({
  title,
  content: html`<h1>${title}</h1>
    ${content}`,
});

function groupsOf(document: OpenApi) {
  const operations = operationsOf(document);
  return document.tags.map(({ name, description }) => ({
    name,
    description,
    members: operations.filter(({ operation }) => operation.tags.includes(name)),
  }));
}

const paragraphsHtml = (texts: readonly string[]): Html =>
  html`${texts.map((each) => html`<p>${descriptionHtml(each)}</p>`)}`;

const introductionOf = ({ info }: OpenApi): readonly string[] =>
  info.description.split('\n\n').filter((each) => !limitTexts.includes(each));

function overviewHtml(document: OpenApi): Html {
  const baseUrl = document.servers[0]?.url ?? '';
  const { install, client } = setUpOf(baseUrl);
  return html`<h1>The API, version ${document.info.version}</h1>
    ${paragraphsHtml(introductionOf(document))}
    <ul class="cards">
      <li>
        <a href="/docs/guide">Guide for applications</a> From registration to the first post, step by step,
        with the settings of the usual libraries.
      </li>
      <li><a href="/docs/errors">Errors and their causes</a> Every code, and what to do.</li>
      <li>
        <a href="/api/openapi.json">OpenAPI 3.1</a> The same as a document, for generators of clients:
        <code>/api/openapi.json</code>.
      </li>
    </ul>
    ${headingHtml(2, 'samples', 'Run the samples')}
    <p>
      The API is at <code>${baseUrl}</code>. Each operation has a sample for <code>curl</code> and one in
      TypeScript. They read what differs for each reader from the environment: <code>TOKEN</code> is an access
      token, <code>CLIENT_ID</code> and <code>CLIENT_SECRET</code> come from the registration, and
      <code>ACTOR_ID</code>, <code>POST_ID</code> and <code>TARGET_ID</code> from answers. Each stands alone:
      for a second one about the same post send the revision that the post then has, and an intent of its own
      for each action.
    </p>
    <p>
      Those in TypeScript run on Node 22.18 or newer, in a project of ES modules (<code>"type": "module"</code
      >) with a client that you make once:
    </p>
    ${codeHtml(install, 'sh')} ${codeHtml(client, 'ts')}
    <p>Save a sample beside it as <code>sample.ts</code>, and run it:</p>
    ${codeHtml('TOKEN=YOUR_TOKEN node sample.ts', 'sh')} ${headingHtml(2, 'operations', 'Operations')}
    ${groupsOf(document).map(
      ({ name, description, members }) =>
        html`${headingHtml(3, `tag-${name}`, description)}
          <ul class="index">
            ${members.map(
              ({ method, path, operation }) =>
                html`<li id="${operation.operationId}">
                  ${methodHtml(method)}
                  <a href="/docs/operations/${operation.operationId}">${path}</a>
                  <span class="quiet">${operation.summary}</span>
                </li>`,
            )}
          </ul>`,
    )}
    ${headingHtml(2, 'limits', 'Limits')} ${paragraphsHtml(limitTexts)}`;
}

/** Its links to schemas and errors lead to places of the same page. */
function wholeHtml({ document, guide }: Reference): Html {
  const { text } = html`${paragraphsHtml(introductionOf(document))}
  ${groupsOf(document).map(
    ({ name, description, members }) =>
      html`<section>
        ${headingHtml(2, `tag-${name}`, description)}
        ${members.map((each) => operationHtml(each, document, 3))}
      </section>`,
  )}
  ${headingHtml(2, 'schemas', 'Schemas')} ${schemasHtml(document, 3)} ${headingHtml(2, 'errors', 'Errors')}
  ${errorsHtml(document, guide, 3)} ${headingHtml(2, 'limits', 'Limits')} ${paragraphsHtml(limitTexts)}`;
  return new Html(text.replaceAll(/href="\/docs\/(?:schemas#|errors#|operations\/)/g, 'href="#'));
}

function schemasHtml({ components }: OpenApi, level: number): Html {
  const schemas = Object.entries(components.schemas).map(([name, schema]) => {
    const { description, examples } = schema as { description?: string; examples?: readonly unknown[] };
    return html`<article class="schema">
      ${headingHtml(level, `schema-${name}`, name)}
      ${description === undefined ? undefined : html`<p>${descriptionHtml(description)}</p>`}
      ${fieldsHtml(schema) ?? html`<p>${typeOf(schema)}</p>`} ${examples?.map((example) => jsonHtml(example))}
    </article>`;
  });
  return html`${schemas}`;
}
