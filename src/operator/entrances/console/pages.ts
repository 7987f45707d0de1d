import type { Act } from '../../desk/act.js';
import { frameOf, perform, sendPage } from '../../console/answer.js';
import type { Frame } from '../../console/layout.js';
import { asOfAnswerPage, asOfPage, isAsOfBuilding } from '../../as-of/pages/as-of.page.js';
import { applicationsPage } from '../../people/pages/applications.page.js';
import { auditPage } from '../../audit/pages/audit.page.js';
import { batchesPage, batchPage, isBatchRunning } from '../../people/pages/batches.page.js';
import { accountPage, applicationPage, grantPage, postPage } from '../../people/pages/dossier.page.js';
import { casePage } from '../../cases/pages/case.page.js';
import { casesPage } from '../../cases/pages/cases.page.js';
import { approvalPage } from '../../operators/pages/approval.page.js';
import { approvalsPage } from '../../operators/pages/approvals.page.js';
import { fourEyesPage } from '../../operators/pages/four-eyes.page.js';
import { findPage } from '../../people/pages/find.page.js';
import { impactPage } from '../../people/pages/impact.page.js';
import { isJobRunning, jobPage } from '../../network/pages/job.page.js';
import { logPage, streamPage } from '../../network/pages/log.page.js';
import { operatorsPage } from '../../operators/pages/operators.page.js';
import { overviewPage } from '../../network/pages/overview.page.js';
import { plotsPage } from '../../network/pages/plots.page.js';
import { projectionsPage } from '../../network/pages/projections.page.js';
import { planPage, recoveryPage } from '../../network/pages/recovery.page.js';
import { RELOAD_SECONDS } from '../../console/view.js';
import type { View } from '../../console/view.js';
import type { Answering } from '../../console/visit.js';

/** By the name of the act: shows its answer. */
const pages: Readonly<Record<string, (frame: Frame, answer: never, view: View) => string>> = {
  'network.overview': overviewPage,
  'network.plots': plotsPage,
  'operator.list': operatorsPage,
  'approval.list': approvalsPage,
  'approval.read': approvalPage,
  'four_eyes.status': fourEyesPage,
  'application.list': applicationsPage,
  'case.list': casesPage,
  'case.show': casePage,
  'application.impact': impactPage,
  'batch.list': batchesPage,
  'batch.read': batchPage,
  'audit.read': auditPage,
  'log.read': logPage,
  'log.read_stream': streamPage,
  'projection.status': projectionsPage,
  'job.read': jobPage,
  'recovery.status': recoveryPage,
  'recovery.plan': planPage,
  'subject.find': findPage,
  'as_of.list': asOfPage,
  'as_of.read': asOfAnswerPage,
  'account.read': accountPage,
  'application.read': applicationPage,
  'grant.read': grantPage,
  'post.read': postPage,
};

/** Input that a page always sends: the address cannot change it. */
const fixedInput: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'audit.read': { limit: '50' },
};

/** Pages that the browser loads again until the work is done, unless the operator stops that. */
const isUnfinished: Readonly<Record<string, (answer: never) => boolean>> = {
  'batch.read': isBatchRunning,
  'job.read': isJobRunning,
  'as_of.read': isAsOfBuilding,
};

export function answerPage(row: Act): Answering {
  const page = pages[row.name];
  if (!page) throw new Error(`the console has no page of ${row.name}`);
  return async (exchange) => {
    const { request, reply, services } = exchange;
    const { searchParams } = new URL(request.url, services.config.operatorBaseUrl);
    const query = Object.fromEntries([...searchParams].filter(([, value]) => value !== ''));
    const { done: _done, follow, ...input } = query;
    const answer = (await perform(exchange, row, { ...input, ...fixedInput[row.name] })) as never;
    const isReloading = follow !== 'no' && (isUnfinished[row.name]?.(answer) ?? false);
    if (isReloading) void reply.header('refresh', String(RELOAD_SECONDS));
    const view = { query, isReloading };
    return sendPage(exchange, page(await frameOf(exchange), answer, view));
  };
}
