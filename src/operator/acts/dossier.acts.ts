import { z } from 'zod';
import { newestEvents } from '../../../projections/audit/audit.read-model.js';
import type { AuditSubject } from '../../../projections/audit/subject.js';
import { OpenDossier } from '../../commands/operator/open-dossier.js';
import type { DossierSubject } from '../../commands/operator/open-dossier.js';
import { HttpRefusal } from '../../http/server/errors.js';
import { entriesOf } from '../audit/search.js';
import { act } from './act.js';
import type { ActContext } from './act.js';
import { operatorIdOf } from './caller.js';
import { accountFacts, applicationFacts, findSubjects, grantFacts, postFacts } from './dossiers.js';
import { identifier, idIn } from './schemas.js';

const TIMELINE = 50;

const search = z.strictObject({ q: z.string().trim().max(64).default('') });

/** A dossier shows no e-mail address, and no text that is not public. Each is a recorded look. */
export const dossierActs = [
  act({
    name: 'subject.find',
    may: 'audit.read',
    route: 'GET /operator/subjects',
    inConsole: true,
    input: search,
    run: async ({ q }, { services }) => ({
      q,
      found: identifier.test(q.replace(/^@/, '')) ? await findSubjects(services, q.replace(/^@/, '')) : [],
    }),
  }),
  act({
    name: 'account.read',
    may: 'audit.read',
    route: 'GET /operator/accounts/:id',
    inConsole: true,
    run: (_input, context) => dossier(context, 'actor', (id) => ({ actorId: id }), accountFacts),
  }),
  act({
    name: 'application.read',
    may: 'audit.read',
    route: 'GET /operator/applications/:id',
    inConsole: true,
    run: (_input, context) => dossier(context, 'app', (id) => ({ appId: id }), applicationFacts),
  }),
  act({
    name: 'grant.read',
    may: 'audit.read',
    route: 'GET /operator/grants/:id',
    inConsole: true,
    run: (_input, context) => dossier(context, 'grant', (id) => ({ grantId: id }), grantFacts),
  }),
  act({
    name: 'post.read',
    may: 'audit.read',
    route: 'GET /operator/posts/:id',
    inConsole: true,
    run: (_input, context) => dossier(context, 'post', (id) => ({ postId: id }), postFacts),
  }),
];

async function dossier<Facts extends object>(
  { services, caller, params, metadata }: ActContext,
  kind: AuditSubject['kind'],
  subject: (id: string) => DossierSubject,
  read: (services: ActContext['services'], id: string) => Promise<Facts | undefined>,
) {
  const id = idIn(params);
  const facts = await read(services, id);
  if (!facts) throw new HttpRefusal('not_found', 'No resource has such an id.');
  const { events } = await newestEvents(services.pool, { about: [{ kind, id }] }, undefined, TIMELINE);
  await services.commands.execute(new OpenDossier(operatorIdOf(caller) ?? '', subject(id), metadata));
  const { events: timeline, ...names } = await entriesOf(services, events, false);
  return { ...facts, timeline, names: { ...names.applications, ...names.operators } };
}

export type Dossier<Facts> = Facts & Pick<Awaited<ReturnType<typeof dossier>>, 'timeline' | 'names'>;
