import { openViews } from '../query/open-views.js';
import { textOf } from '../query/output.js';
import { markdownTable } from '../../base/support/markdown-table.js';
import { plotFile } from './plots/style.js';
import type { Answered } from './page.js';
import { questions } from './questions.js';
import { answerOf } from './report.js';

const MOST_ROWS = 8;
const [BEGIN, END] = ['<!-- questions: npm run guide -->', '<!-- end of questions -->'];

/** The questions of docs/analytics.md with their answers on a data set, and the plots as files by name. */
export interface Guide {
  readonly section: string;
  readonly plots: ReadonlyMap<string, string>;
}

export async function guideOf(dir: string): Promise<Guide> {
  const views = await openViews(dir);
  const answers: Answered[] = [];
  try {
    for (const question of questions) answers.push(await answerOf(views, question));
  } finally {
    views.close();
  }
  return {
    section: answers.map(sectionOf).join('\n\n'),
    plots: new Map(
      answers.map(({ question, rows }) => [`${question.name}.svg`, plotFile(question.plot(rows))]),
    ),
  };
}

/** The document with this section in place of its own. */
export function withSection(document: string, section: string): string {
  const [begin, end] = [document.indexOf(BEGIN), document.indexOf(END)];
  if (begin < 0 || end < begin) throw new Error('the document has no place for the questions');
  return `${document.slice(0, begin + BEGIN.length)}\n\n${section}\n\n${document.slice(end)}`;
}

function sectionOf({ question: { name, title, definition, sql }, columns, rows }: Answered): string {
  const cells = rows.slice(0, MOST_ROWS).map((row) => columns.map((column) => textOf(row[column] ?? null)));
  const more = rows.length - cells.length;
  return [
    `### ${title}`,
    definition,
    `\`\`\`sql\n${sql}\n\`\`\``,
    markdownTable(columns, cells),
    ...(more > 0 ? [`… and ${more} more rows.`] : []),
    `![${title}](analytics/${name}.svg)`,
  ].join('\n\n');
}
