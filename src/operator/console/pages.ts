import type { Act } from '../acts/act.js';
import { frameOf, perform, sendPage } from './answer.js';
import type { Frame } from './layout.js';
import { applicationsPage } from './pages/applications.page.js';
import { accountPage, applicationPage, grantPage, postPage } from './pages/dossier.page.js';
import { findPage } from './pages/find.page.js';
import { operatorsPage } from './pages/operators.page.js';
import { overviewPage } from './pages/overview.page.js';
import { plotsPage } from './pages/plots.page.js';
import type { Answering } from './visit.js';

/** By the name of the act: shows its answer. */
const pages: Readonly<Record<string, (frame: Frame, answer: never) => string>> = {
  'network.overview': overviewPage,
  'network.plots': plotsPage,
  'operator.list': operatorsPage,
  'application.list': applicationsPage,
  'subject.find': findPage,
  'account.read': accountPage,
  'application.read': applicationPage,
  'grant.read': grantPage,
  'post.read': postPage,
};

/** Answers with the page of an act of GET. */
export function answerPage(row: Act): Answering {
  const page = pages[row.name];
  if (!page) throw new Error(`the console has no page of ${row.name}`);
  return async (exchange) => {
    const { q } = exchange.request.query as { readonly q?: string };
    const answer = await perform(exchange, row, q === undefined ? {} : { q });
    return sendPage(exchange, page(await frameOf(exchange), answer as never));
  };
}
