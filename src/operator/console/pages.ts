import type { Act } from '../acts/act.js';
import { frameOf, perform, sendPage } from './answer.js';
import type { Frame } from './layout.js';
import type { Answering } from './visit.js';

/** By the name of the act: shows its answer. */
const pages: Readonly<Record<string, (frame: Frame, answer: never) => string>> = {};

/** Answers with the page of an act of GET. */
export function answerPage(row: Act): Answering {
  const page = pages[row.name];
  if (!page) throw new Error(`the console has no page of ${row.name}`);
  return async (exchange) => {
    const answer = await perform(exchange, row, {});
    return sendPage(exchange, page(await frameOf(exchange), answer as never));
  };
}
