import type { Act } from '../../desk/act.js';
import { AwaitedApproval } from '../../desk/approvals/awaited-approval.js';
import { frameOf, goTo, perform, sendPage } from '../../console/answer.js';
import type { AsOfAnswer } from '../../as-of/look.js';
import { holderOf } from '../../console/form.js';
import type { Form } from '../../console/form.js';
import type { Frame } from '../../console/layout.js';
import { disclosedPage } from '../../audit/pages/disclosed.page.js';
import type { Disclosed } from '../../audit/disclose.js';
import { asOfAnswerPage, asOfPath } from '../../as-of/pages/as-of.page.js';
import { previewPage } from '../../people/pages/batches.page.js';
import { secretPage } from '../../operators/pages/secret.page.js';
import type { Answering, Exchange } from '../../console/visit.js';

const DAY_MS = 24 * 60 * 60_000;

/** The form of an act: reads its input, and leads on once the act is done. */
interface ConsoleForm {
  readonly input?: (form: Form, exchange: Exchange) => object;
  readonly to: (params: Exchange['params'], answer: never) => string;
  /** A page with what the answer alone has, in place of the next page. Undefined: the answer has nothing of its own. */
  readonly page?: (frame: Frame, answer: never, form: Form) => string | undefined;
}

/** Answers the form of an act: the act's own checks decide about the input. */
export function answerForm(row: Act): Answering {
  const found = forms[row.name];
  if (!found) throw new Error(`the console has no form of ${row.name}`);
  return async (exchange) => {
    const { form, params } = exchange;
    const given = Object.entries({ ...found.input?.(form, exchange), reason: form.text('reason') });
    const input = Object.fromEntries(given.filter(([, value]) => value !== undefined));
    const answer = await perform(exchange, row, row.schema ? input : undefined);
    if (answer instanceof AwaitedApproval)
      return goTo(exchange, `/console/approvals/${answer.request.approvalId}?done=approval.request`);
    const page = found.page?.(await frameOf(exchange), answer as never, form);
    if (page !== undefined) return sendPage(exchange, page);
    const next = found.to(params, answer as never);
    return goTo(exchange, `${next}${next.includes('?') ? '&' : '?'}done=${row.name}`);
  };
}

const own = { to: () => '/console/own' };
const operators = { to: () => '/console/operators' };
const cases = { to: ({ id = '' }: Exchange['params']) => `/console/cases/${id}` };
const notice = (form: Form) => ({ notice: form.text('notice') });
const fourEyes = { to: () => '/console/four-eyes' };
const approval = { to: ({ id = '' }: Exchange['params']) => `/console/approvals/${id}` };
const overview = { to: () => '/console/overview' };
const dossier = (place: string) => ({
  to: ({ id = '' }: Exchange['params']) => `/console/${place}/${id}`,
  input: (form: Form) => ({ revision: form.number('revision') }),
});

const job = { to: (_params: unknown, { id }: { readonly id: string }) => `/console/jobs/${id}` };
const batch = {
  to: (_params: unknown, { batchId }: { readonly batchId: string }) => `/console/batches/${batchId}`,
};

const PLAN_FIELDS = ['kind', 'appId', 'from', 'until', 'actorIds'] as const;

const plan = (form: Form) => ({
  ...Object.fromEntries(PLAN_FIELDS.map((name) => [name, form.text(name)])),
  actorIds: form.text('actorIds')?.split(/\s+/).filter(Boolean),
});

interface RequestedRecovery {
  readonly job: { readonly id: string } | null;
}

interface Issued {
  readonly token: string;
  readonly expiresAt: number;
}

interface Invited {
  readonly link: string;
  readonly expiresAt: number;
}

const invitationPage = (frame: Frame, { link, expiresAt }: Invited): string =>
  secretPage(frame, {
    title: 'The invitation',
    secret: link,
    expiresAt,
    advice: 'Send this link to the invited person, and to nobody else: it works once.',
    to: '/console/operators',
  });

const forms: Readonly<Record<string, ConsoleForm>> = {
  'account.suspend': dossier('accounts'),
  'account.reinstate': dossier('accounts'),
  'application.suspend': dossier('applications'),
  'application.reinstate': dossier('applications'),
  'application.revoke_grants': dossier('applications'),
  'grant.revoke': dossier('grants'),
  'post.restrict': dossier('posts'),
  'post.unrestrict': dossier('posts'),
  'text.disclose': {
    to: () => '/console/subjects',
    input: (form) => ({ eventIds: form.all('eventIds') }),
    page: (frame, { disclosed }: { readonly disclosed: readonly Disclosed[] }) =>
      disclosedPage(frame, disclosed),
  },
  'case.claim': cases,
  'case.release': cases,
  'case.note': { ...cases, input: (form) => ({ note: form.text('note') ?? '' }) },
  'case.decide': {
    ...cases,
    input: (form) => ({
      outcome: form.text('outcome'),
      effects: form.all('effects'),
      notice: form.text('notice'),
    }),
  },
  'case.reopen': cases,
  'appeal.uphold': { ...cases, input: notice },
  'appeal.overturn': { ...cases, input: notice },
  'as_of.build': {
    input: (form) => ({ at: form.text('at') ?? '', actor: form.text('actor') ?? '' }),
    to: (_params, { actor, build }: AsOfAnswer) => asOfPath(build.position, actor),
  },
  'as_of.disclose': {
    input: (form) => ({ actor: form.text('actor') ?? '' }),
    to: ({ position = '' }) => `/console/as-of/${position}`,
    page: (frame, answer: AsOfAnswer) => asOfAnswerPage(frame, answer),
  },
  'publishing.pause': overview,
  'publishing.resume': overview,
  'registration.open': overview,
  'registration.close': overview,
  'batch.preview': {
    to: () => '/console/batches',
    input: plan,
    page: (frame, answer, form) =>
      previewPage(
        frame,
        answer,
        new Map(
          PLAN_FIELDS.map((name) => [name, form.text(name) ?? ''] as const).filter(([, text]) => text !== ''),
        ),
      ),
  },
  'batch.request': { ...batch, input: (form) => ({ ...plan(form), digest: form.text('digest') }) },
  'batch.undo': batch,
  'projection.rebuild': { ...job, input: (form) => ({ names: form.all('names') }) },
  'job.pause': { to: ({ id = '' }) => `/console/jobs/${id}` },
  'recovery.apply': {
    to: (_params, { job: requested }: RequestedRecovery) =>
      requested ? `/console/jobs/${requested.id}` : '/console/recovery/plan',
    input: (form) => ({ reseedWitness: form.text('reseedWitness') === 'yes' }),
  },
  'recovery.rollback': {
    to: (_params, { job: requested }: RequestedRecovery) => `/console/jobs/${requested?.id ?? ''}`,
  },
  'operator.confirm': operators,
  'operator.suspend': operators,
  'operator.reinstate': operators,
  'operator.revoke_token': operators,
  'operator.remove_passkey': operators,
  'operator.change_roles': { ...operators, input: (form) => ({ roles: form.all('roles') }) },
  'operator.invite': {
    ...operators,
    input: (form) => ({ name: form.text('name') ?? '', roles: form.all('roles') }),
    page: invitationPage,
  },
  'shared_token.limit': operators,
  'approval.give': { ...approval, input: (form) => ({ digest: form.text('digest') ?? '' }) },
  'approval.refuse': approval,
  'approval.carry_out': {
    ...approval,
    page: (frame, { result }: { readonly result: Partial<Invited> | null }) =>
      result?.link === undefined || result.expiresAt === undefined
        ? undefined
        : invitationPage(frame, { link: result.link, expiresAt: result.expiresAt }),
  },
  'four_eyes.turn_on': { ...fourEyes, input: (form) => ({ batchItems: form.number('batchItems') }) },
  'four_eyes.turn_off': fourEyes,
  'own.register_passkey': {
    ...own,
    input: (form, { visit }) => ({
      label: form.text('label') ?? '',
      credential: form.text('credential') ?? '',
      holder: holderOf(visit.secret),
    }),
  },
  'own.remove_passkey': own,
  'own.revoke_token': own,
  'own.sign_out_everywhere': { to: () => '/console/sign-in' },
  'own.issue_token': {
    ...own,
    input: (form) => ({ label: form.text('label'), validMs: (form.number('days') ?? 90) * DAY_MS }),
    page: (frame, { token, expiresAt }: Issued) =>
      secretPage(frame, {
        title: 'Your new token',
        secret: token,
        expiresAt,
        advice: 'Set OPERATOR_TOKEN to it for the command line.',
        to: '/console/own',
      }),
  },
};
