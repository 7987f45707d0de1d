import { z } from 'zod';
import { UpdateApplication } from '../../commands/application/update-application.js';
import { act } from '../desk/act.js';
import type { FormFields } from '../desk/page.js';
import { changed, idIn, listOf } from '../desk/schemas.js';
import { previewPage } from './pages/application-update.page.js';
import { previewUpdate, updatePreview } from './update-preview.js';

const one = '/operator/applications/:id/update' as const;

const addresses = z.array(z.string()).optional();

/** A field that is missing stays as it is. */
const update = z.strictObject({
  name: z.string().optional(),
  redirectUris: addresses,
  postLogoutRedirectUris: addresses,
  scopes: z.array(z.string()).optional(),
});

const REVISION = 'must be a whole number from 0 on';

const addressesIn = (form: FormFields) => ({
  redirectUris: linesIn(form, 'redirectUris'),
  postLogoutRedirectUris: linesIn(form, 'postLogoutRedirectUris'),
});

const linesIn = (form: FormFields, name: string): readonly string[] =>
  form.text(name)?.split(/\s+/).filter(Boolean) ?? [];

export const applicationUpdateActs = [
  act({
    name: 'application.preview_update',
    may: 'applications.manage',
    route: `POST ${one}/preview`,
    input: update,
    answer: updatePreview,
    form: { input: addressesIn, page: previewPage },
    run: (asked, { services, params }) => previewUpdate(services, idIn(params), asked),
  }),
  act({
    name: 'application.update',
    may: 'applications.manage',
    route: `POST ${one}`,
    command: 'app update',
    reason: 'required',
    input: update.extend({
      revision: z.int(REVISION).min(0, REVISION).optional(),
      endsGrants: z.boolean().default(false),
    }),
    answer: changed.extend({ fields: listOf(z.string()), endsGrants: z.number(), revision: z.number() }),
    form: { input: addressesIn },
    run: ({ revision, endsGrants, ...asked }, { services, params, metadata }) =>
      services.commands.execute(
        new UpdateApplication(idIn(params), asked, { revision, endsGrants }, metadata),
      ),
  }),
];
