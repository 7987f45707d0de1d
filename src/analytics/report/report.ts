import { renameSync, rmSync, writeFileSync } from 'node:fs';
import { requireState } from '../data-set/commits.js';
import { summaryOf } from '../data-set/status.js';
import { OWNER_ONLY } from '../data-set/write-file.js';
import { openViews } from '../query/open-views.js';
import type { Views } from '../query/open-views.js';
import { rowsOf } from '../query/output.js';
import { reportPage } from './page.js';
import type { Answered } from './page.js';
import { questions } from './questions.js';
import type { Question } from './questions.js';
import type { AnswerRow } from './rows.js';

/** Writes a report, whole or not at all. @throws {Failure} */
export async function writeReport(
  dir: string,
  file: string,
  onAnswer: (done: number, total: number) => void = () => undefined,
  memory?: number,
): Promise<void> {
  const views = await openViews(dir, { memory });
  const answers: Answered[] = [];
  try {
    for (const question of questions) {
      answers.push(await answerOf(views, question));
      onAnswer(answers.length, questions.length);
    }
  } finally {
    views.close();
  }
  const temporary = `${file}.tmp`;
  try {
    writeFileSync(temporary, reportPage(summaryOf(requireState(dir)), answers), { mode: OWNER_ONLY.file });
    renameSync(temporary, file);
  } catch (error) {
    rmSync(temporary, { force: true });
    throw error;
  }
}

export async function answerOf(views: Views, question: Question): Promise<Answered> {
  return views.query(question.sql, async (result) => {
    const { columns, rows } = await rowsOf(result);
    const answer: AnswerRow[] = [];
    for await (const row of rows)
      answer.push(Object.fromEntries(columns.map((name, at) => [name, row[at] ?? null])));
    return { question, columns, rows: answer };
  });
}
