import type { Act } from '../acts/act.js';
import { frameOf, perform, sendPage } from './answer.js';
import type { Frame } from './layout.js';
import { applicationsPage } from './pages/applications.page.js';
import { accountPage, applicationPage, grantPage, postPage } from './pages/dossier.page.js';
import { casePage } from './pages/case.page.js';
import { casesPage } from './pages/cases.page.js';
import { approvalPage } from './pages/approval.page.js';
import { approvalsPage } from './pages/approvals.page.js';
import { fourEyesPage } from './pages/four-eyes.page.js';
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
  'approval.list': approvalsPage,
  'approval.read': approvalPage,
  'four_eyes.status': fourEyesPage,
  'application.list': applicationsPage,
  'case.list': casesPage,
  'case.show': casePage,
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
    const { done: _notice, ...query } = exchange.request.query as Readonly<Record<string, unknown>>;
    const answer = await perform(exchange, row, query);
    return sendPage(exchange, page(await frameOf(exchange), answer as never));
  };
}
