import { z } from 'zod';
import { newestEvents } from '../../../projections/audit/audit.read-model.js';
import type { AuditSubject } from '../../../projections/audit/subject.js';
import type { LookSubject } from '../../commands/operator/operator-looks.js';
import { eventTypes } from '../../log/registry.js';
import { HttpRefusal } from '../../server/errors.js';
import { recordLooks } from '../audit/looks.js';
import { entryOf } from '../audit/entry.js';
import { act } from '../desk/act.js';
import type { ActContext } from '../desk/act.js';
import {
  accountDossier,
  accountFacts,
  applicationDossier,
  applicationFacts,
  findSubjects,
  foundSubject,
  grantDossier,
  grantFacts,
  postDossier,
  postFacts,
} from './dossiers.js';
import { accountPage, applicationPage, grantPage, postPage } from './pages/dossier.page.js';
import { findPage } from './pages/find.page.js';
import { identifier, idIn, listOf } from '../desk/schemas.js';

/** The newest events that a dossier reads. */
const TIMELINE = 100;

const search = z.strictObject({ q: z.string().trim().max(64).default('') });

/** A dossier shows no e-mail address, and no text that is not public. */
export const dossierActs = [
  act({
    name: 'subject.find',
    may: 'audit.read',
    route: 'GET /operator/subjects',
    input: search,
    answer: z.strictObject({ q: z.string(), found: listOf(foundSubject) }),
    page: findPage,
    run: async ({ q }, context) => {
      const text = q.replace(/^@/, '');
      const found = identifier.test(text) ? await findSubjects(context.services, text) : [];
      await recordLooks(
        context,
        found.map(({ place, id }) => ({ [idFields[place]]: id })),
      );
      return { q, found };
    },
  }),
  act({
    name: 'account.read',
    may: 'audit.read',
    route: 'GET /operator/accounts/:id',
    answer: accountDossier,
    page: accountPage,
    run: (_input, context) => dossier(context, 'actor', (id) => ({ actorId: id }), accountFacts),
  }),
  act({
    name: 'application.read',
    may: 'audit.read',
    route: 'GET /operator/applications/:id',
    command: 'app show',
    answer: applicationDossier,
    page: applicationPage,
    run: (_input, context) =>
      dossier(context, 'app', (id) => ({ appId: id }), applicationFacts, ofApplications),
  }),
  act({
    name: 'grant.read',
    may: 'audit.read',
    route: 'GET /operator/grants/:id',
    answer: grantDossier,
    page: grantPage,
    run: (_input, context) => dossier(context, 'grant', (id) => ({ grantId: id }), grantFacts),
  }),
  act({
    name: 'post.read',
    may: 'audit.read',
    route: 'GET /operator/posts/:id',
    answer: postDossier,
    page: postPage,
    run: (_input, context) => dossier(context, 'post', (id) => ({ postId: id }), postFacts),
  }),
];

const idFields = { accounts: 'actorId', applications: 'appId', grants: 'grantId', posts: 'postId' } as const;

/** The claimer of a case alone learns who reported. Reports about the subject are counted by case. */
const ofAll = eventTypes.filter((type) => type !== 'report.created');

/** Acts of people through an application are in its impact. */
const ofApplications = eventTypes.filter((type) => /^(application|batch)\./.test(type));

async function dossier<Facts extends object>(
  context: ActContext,
  kind: AuditSubject['kind'],
  subject: (id: string) => LookSubject,
  read: (services: ActContext['services'], id: string) => Promise<Facts | undefined>,
  types: readonly string[] = ofAll,
) {
  const { services, params } = context;
  const id = idIn(params);
  const facts = await read(services, id);
  if (!facts) throw new HttpRefusal('not_found', 'No resource has such an id.');
  const { events, next } = await newestEvents(
    services.pool,
    { about: [{ kind, id }], types },
    undefined,
    TIMELINE,
  );
  await recordLooks(context, [subject(id)]);
  return {
    ...facts,
    timeline: events.map((event) => entryOf(event, noTexts)),
    isMore: next !== undefined,
  };
}

const noTexts = new Map<string, never>();
