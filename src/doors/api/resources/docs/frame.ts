import { createHash } from 'node:crypto';
import { Html, html } from '../../../../base/pages/html.js';
import { pageHeaders, pageLayout, StyleSheet } from '../../../../base/pages/layout.js';
import { httpStatusOf } from '../../../../server/errors.js';
import type { ErrorCode } from '../../../../server/errors.js';
import { oauthCodes } from '../../../../server/oauth-codes.js';
import { errorMeanings } from '../../openapi/error-meanings.js';
import { operationsOf } from '../../openapi/openapi.js';
import type { OpenApi, OperationAtPath } from '../../openapi/openapi.js';
import type { Guide } from './guide/guide.js';
import { methodHtml } from './operation.html.js';
import { fieldNamesOf } from './schema.html.js';
import { docsScript } from './script.js';
import { docsStyle } from './style.js';

/** All that the pages show. */
export interface Reference {
  readonly document: OpenApi;
  readonly guide: Guide;
}

const sheet = new StyleSheet(docsStyle);
const headers = pageHeaders(undefined, sheet);
const scriptHash = createHash('sha256').update(docsScript).digest('base64');

/** Those of every page, and the one script. */
export const docsHeaders: Readonly<Record<string, string>> = {
  ...headers,
  'content-security-policy': `${headers['content-security-policy']}; script-src 'sha256-${scriptHash}'`,
};

interface Place {
  readonly href: string;
  readonly name: Html | string;
  /** Searched beside the name. `text`: a place that has only these words is the last to be opened. */
  readonly words?: string;
  readonly text?: string;
}

interface Group {
  readonly id: string;
  readonly label: string;
  readonly places: readonly Place[];
  /** Shown only to who searches. */
  readonly isFound?: boolean;
}

/** `path`: of the page. */
export function docsFrame(title: string, path: string, content: Html, reference: Reference): string {
  const menu = groupsOf(path, reference).map(
    ({ id, label, places, isFound = false }) =>
      html`<div class="group" ${isFound ? html`hidden data-found` : undefined}>
        <p class="label" id="menu-${id}">${label}</p>
        <ul aria-labelledby="menu-${id}">
          ${places.map((place) => placeHtml(place, path))}
        </ul>
      </div>`,
  );
  const corner = html`<button class="slim menu" type="button" popovertarget="menu">Menu</button>`;
  return pageLayout(
    title,
    html`<a class="skip" href="#content">Skip to the content</a>
      <nav id="menu" aria-label="Reference" popover>
        <div class="search" hidden>
          <label for="search">Search</label>
          <input id="search" type="search" autocomplete="off" aria-keyshortcuts="/" />
          <p class="quiet small" role="status"></p>
        </div>
        ${menu}
      </nav>
      <div id="content" tabindex="-1">${content}</div>
      ${new Html(`<script>${docsScript}</script>`)}`,
    { wide: true, sheet, corner },
  );
}

function placeHtml({ href, name, words, text }: Place, path: string): Html {
  return html`<li ${words && html`data-words="${words}"`} ${text && html`data-text="${text}"`}>
    <a href="${href}" ${href === path ? html`aria-current="page"` : undefined}>${name}</a>
  </li>`;
}

function groupsOf(path: string, { document, guide }: Reference): readonly Group[] {
  const operations = operationsOf(document);
  const codes = (kind: string, names: readonly string[]): readonly Place[] =>
    names.toSorted().map((name) => ({
      href: `/docs/errors#${kind}-${name}`,
      name,
      words: kind === 'code' ? String(httpStatusOf[name as ErrorCode]) : '',
    }));
  return [
    {
      id: 'start',
      label: 'Start',
      places: [
        { href: '/docs', name: 'Overview' },
        { href: '/docs/guide', name: 'Guide for applications' },
        { href: '/docs/errors', name: 'Errors and their causes' },
        { href: '/docs/schemas', name: 'Schemas' },
        { href: '/docs/all', name: 'All on one page' },
      ],
    },
    {
      id: 'guide',
      label: 'In the guide',
      places: guide.sections.map(({ id, title, words }) => ({
        href: `/docs/guide#${id}`,
        name: title,
        text: words,
      })),
      isFound: path !== '/docs/guide',
    },
    ...document.tags.map(({ name, description }) => ({
      id: name,
      label: description,
      places: operations
        .filter(({ operation }) => operation.tags.includes(name))
        .map((each) => operationPlace(each, document)),
    })),
    {
      id: 'schemas',
      label: 'Schemas',
      places: Object.keys(document.components.schemas).map((name) => ({
        href: `/docs/schemas#schema-${name}`,
        name,
      })),
      isFound: true,
    },
    {
      id: 'errors',
      label: 'Errors',
      places: [...codes('code', Object.keys(errorMeanings)), ...codes('oauth', oauthCodes)],
      isFound: true,
    },
  ];
}

function operationPlace({ method, path, operation }: OperationAtPath, { components }: OpenApi): Place {
  const bodies = [operation.requestBody, operation.responses[200]].flatMap((each) =>
    Object.values(each?.content ?? {}),
  );
  const words = [
    path,
    operation.operationId,
    ...operation.parameters.map(({ name }) => name),
    ...bodies.flatMap(({ schema }) => fieldNamesOf(schema, components.schemas)),
  ];
  return {
    href: `/docs/operations/${operation.operationId}`,
    name: html`${methodHtml(method)} ${operation.summary}`,
    words: [...new Set(words)].join(' '),
  };
}
