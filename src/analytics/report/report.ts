import { writeFileSync } from 'node:fs';
import { summaryOf } from '../data-set/status.js';
import { openViews } from '../query/open-views.js';
import type { Views } from '../query/open-views.js';
import { rowsOf } from '../query/output.js';
import { replaceFile } from '../query/replace-file.js';
import { reportPage } from './page.js';
import type { Answered } from './page.js';
import { questions } from './questions.js';
import type { Question } from './questions.js';
import type { AnswerRow } from './rows.js';

/** Writes a report. @throws {Failure}; as of {@link replaceFile}. */
export const writeReport = (
  dir: string,
  file: string,
  onAnswer: (done: number, total: number) => void = () => undefined,
  memory?: number,
): Promise<void> =>
  replaceFile(dir, file, async (temporary) => {
    const views = await openViews(dir, { memory });
    try {
      const answers: Answered[] = [];
      for (const question of questions) {
        answers.push(await answerOf(views, question));
        onAnswer(answers.length, questions.length);
      }
      writeFileSync(temporary, reportPage(summaryOf(views.state), answers));
    } finally {
      views.close();
    }
  });

export async function answerOf(views: Views, question: Question): Promise<Answered> {
  return views.query(question.sql, async (result) => {
    const { columns, rows } = await rowsOf(result);
    const answer: AnswerRow[] = [];
    for await (const row of rows)
      answer.push(Object.fromEntries(columns.map((name, at) => [name, row[at] ?? null])));
    return { question, columns, rows: answer };
  });
}
