import { Html, html } from '../../../../base/pages/html.js';
import { httpStatusOf } from '../../../../server/errors.js';
import type { ErrorCode } from '../../../../server/errors.js';
import { oauthCodes } from '../../../../server/oauth-codes.js';
import { errorMeanings } from '../../openapi/error-meanings.js';
import { operationsOf } from '../../openapi/openapi.js';
import type { ExampleObject, OpenApi, OperationObject, Reference } from '../../openapi/openapi.js';
import { headingHtml } from './code.html.js';
import type { Guide } from './guide/guide.js';
import { descriptionHtml } from './schema.html.js';

interface Use {
  readonly operation: OperationObject;
  /** The description in the answer, where it is the operation's own. */
  readonly text: string | undefined;
}

/** The id of a code's entry. Some codes of the social API are codes of OAuth as well, with another meaning. */
export const entryOf = (code: string, example: ExampleObject | Reference): string =>
  '$ref' in example || !oauthCodes.some((each) => each === code) ? `code-${code}` : `oauth-${code}`;

/** Every published code: its causes, its remedy, and the operations that answer it. */
export function errorsHtml(document: OpenApi, guide: Guide, level: number): Html {
  const uses = usesIn(document);
  const remedies = (section: string, code: string) =>
    guide.codes
      .filter((each) => each.section === section && each.code === code)
      .map(({ remedy }) => html`<p class="quiet">${new Html(remedy)}</p>`);
  const byStatus = Object.groupBy(Object.keys(errorMeanings) as ErrorCode[], (code) => httpStatusOf[code]);
  return html`<p>
      The social API answers <code>{"error", "message"}</code>, the OAuth endpoints
      <code>{"error", "error_description"}</code>. Decide by status and <code>error</code>: messages may
      change. <a href="/docs/guide#when-something-is-refused">What to do by status</a> is in the guide.
    </p>
    ${Object.entries(byStatus).map(
      ([status, codes = []]) =>
        html`${headingHtml(level, `status-${status}`, status)}
          <dl class="fields-of">
            ${codes
              .toSorted()
              .map((code) =>
                entryHtml(`code-${code}`, code, uses, [
                  html`<p>${descriptionHtml(errorMeanings[code])}</p>`,
                  ...remedies('codes-of-the-social-api', code),
                ]),
              )}
          </dl>`,
    )}
    ${headingHtml(level, 'oauth', 'OAuth')}
    <dl class="fields-of">
      ${oauthCodes
        .toSorted()
        .map((code) =>
          entryHtml(`oauth-${code}`, code, uses, [
            ...[...new Set(uses.get(`oauth-${code}`)?.flatMap(({ text }) => text ?? []))].map(
              (text) => html`<p>${descriptionHtml(text)}</p>`,
            ),
            ...remedies('oauth-codes', code),
          ]),
        )}
    </dl>`;
}

function entryHtml(
  id: string,
  code: string,
  uses: ReadonlyMap<string, readonly Use[]>,
  texts: readonly Html[],
): Html {
  const operations = [...new Set(uses.get(id)?.map(({ operation }) => operation))];
  return html`<div id="${id}">
    <dt>
      <a href="#${id}"><code>${code}</code></a>
    </dt>
    <dd>
      ${texts}
      ${
        operations.length === 0
          ? undefined
          : html`<details>
              <summary>
                ${operations.length === 1 ? '1 operation' : `${operations.length} operations`}
              </summary>
              <ul class="codes">
                ${operations.map(
                  ({ operationId, summary }) =>
                    html`<li><a href="/docs/operations/${operationId}">${summary}</a></li>`,
                )}
              </ul>
            </details>`
      }
    </dd>
  </div>`;
}

function usesIn(document: OpenApi): ReadonlyMap<string, readonly Use[]> {
  const uses = operationsOf(document).flatMap(({ operation }) =>
    Object.values(operation.responses).flatMap(({ content = {} }) =>
      Object.values(content)
        .flatMap(({ examples = {} }) => Object.entries(examples))
        .map(([code, example]) => ({ entry: entryOf(code, example), operation, text: textOf(example) })),
    ),
  );
  return Map.groupBy(uses, ({ entry }) => entry);
}

const textOf = (example: ExampleObject | Reference): string | undefined =>
  'value' in example ? (example.value as { error_description?: string }).error_description : undefined;
