import { html } from '../../base/pages/html.js';
import type { Html } from '../../base/pages/html.js';
import { mark, StyleSheet } from '../../base/pages/layout.js';
import { style } from '../../base/pages/style.js';
import type { Summary } from '../data-set/status.js';
import { plotStyle } from './plots/style.js';
import type { Question } from './questions.js';
import type { AnswerRow } from './rows.js';
import { textOf } from '../query/output.js';

export interface Answered {
  readonly question: Question;
  readonly columns: readonly string[];
  readonly rows: readonly AnswerRow[];
}

const MOST_ROWS = 200;

const sheet = new StyleSheet(`${style}${plotStyle}
header, main, footer { max-width: 56rem; }
.scrolled { overflow-x: auto; }
.card h2 { font-size: 1.25rem; }
.card .scrolled { margin: 1rem 0; }
summary { cursor: pointer; color: var(--accent); min-height: 1.75rem; width: fit-content; }
pre { margin: .5rem 0 1rem; }
table { border-collapse: collapse; }
th, td { text-align: left; padding: .3rem 1.25rem .3rem 0; border-top: 1px solid var(--line); font-variant-numeric: tabular-nums; }
thead th { border: 0; color: var(--quiet); font-size: .875rem; font-weight: 400; }
`);

/** A page without scripts that opens from a file and loads nothing. */
export function reportPage(status: Summary, answers: readonly Answered[]): string {
  const period =
    status.firstDay === null ? 'no days' : `${status.days} days, ${status.firstDay} to ${status.lastDay}`;
  return html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta
          http-equiv="content-security-policy"
          content="default-src 'none'; style-src 'sha256-${sheet.hash}'; base-uri 'none'; form-action 'none'"
        />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="referrer" content="no-referrer" />
        <title>Analytics · Plaza</title>
        ${sheet.element}
      </head>
      <body class="report">
        <header><p class="wordmark">${mark} Plaza analytics</p></header>
        <main>
          <h1>What happened in the network</h1>
          <p class="quiet">
            ${status.events.toLocaleString('en')} events of ${period}, up to position
            ${String(status.position ?? 'none')}, exported at
            <time datetime="${status.committedAt}">${status.committedAt.slice(0, 16).replace('T', ' ')}</time
            >. Times, days and hours are of UTC. ${leftOut(status)}
          </p>
          ${answers.map(card)}
        </main>
        <footer>
          Made by <code>plaza analytics report</code>. People, posts and grants are pseudonyms of this data
          set.
        </footer>
      </body>
    </html>`.text;
}

function leftOut({ since, folded }: Summary): string | undefined {
  if (since === null) return undefined;
  const kept = folded === null ? '' : ` but for what is known of ${folded} people`;
  return `Events before ${new Date(since).toISOString().slice(0, 10)} are left out${kept}, so totals are of the time since.`;
}

function card({ question, columns, rows }: Answered): Html {
  const { name, title, definition, sql, plot } = question;
  return html`<section class="card" aria-labelledby="${name}">
    <h2 id="${name}">${title}</h2>
    <p>${definition}</p>
    ${
      rows.length === 0
        ? html`<p class="quiet">The data set has no event that answers this.</p>`
        : html`<div class="scrolled" role="region" aria-label="Plot: ${title}" tabindex="0">
            ${plot(rows)}
          </div>`
    }
    <details>
      <summary>Answer as a table</summary>
      ${
        rows.length > MOST_ROWS
          ? html`<p class="quiet small">The last ${String(MOST_ROWS)} of ${String(rows.length)} rows.</p>`
          : undefined
      }
      <div class="scrolled" role="region" aria-label="Table: ${title}" tabindex="0">
        <table>
          <thead>
            <tr>
              ${columns.map((column) => html`<th scope="col">${column}</th>`)}
            </tr>
          </thead>
          <tbody>
            ${rows.slice(-MOST_ROWS).map(
              (row) =>
                html`<tr>
                  ${columns.map((column) => html`<td>${textOf(row[column] ?? null)}</td>`)}
                </tr>`,
            )}
          </tbody>
        </table>
      </div>
    </details>
    <details>
      <summary>SQL</summary>
      <div class="scrolled" role="region" aria-label="SQL: ${title}" tabindex="0">
        <pre>${sql}</pre>
      </div>
    </details>
  </section>`;
}
