import { z } from 'zod';
import { planUpdate } from '../../commands/application/update-application.js';
import { newestEventOf } from '../../commands/support/handle-command.js';
import type { AskedDetails } from '../../domain/application/change.js';
import type { ApplicationChanged } from '../../domain/application/events.js';
import { Refusal } from '../../domain/refusal.js';
import type { Recorded } from '../../log/recorded.js';
import { streams } from '../../log/streams.js';
import { listOf } from '../desk/schemas.js';
import type { ActServices } from '../desk/services.js';

const details = z.strictObject({
  name: z.string(),
  redirectUris: listOf(z.string()),
  postLogoutRedirectUris: listOf(z.string()),
  scopes: listOf(z.string()),
});

/** `revision`: number of changes up to now. `endsGrants`: number of grants that would end. */
export const updatePreview = z.strictObject({
  clientId: z.string(),
  before: details,
  after: details,
  endsGrants: z.number(),
  revision: z.number(),
});

export type UpdatePreview = z.infer<typeof updatePreview>;

/** @throws {Refusal} as the update would; errors of log and store. */
export async function previewUpdate(
  services: Pick<ActServices, 'log' | 'store' | 'clock'>,
  appId: string,
  asked: AskedDetails,
): Promise<UpdatePreview> {
  const past = await newestEventOf(services.log, streams.applicationChanges(appId));
  const at = services.clock.now();
  const plan = await planUpdate(
    services,
    { appId, asked, at },
    past as readonly Recorded<ApplicationChanged>[],
  );
  if (plan instanceof Refusal) throw plan;
  const { before, change, endsGrants, revision } = plan;
  return {
    clientId: appId,
    before: detailsOf(before),
    after: detailsOf(change?.data ?? before),
    endsGrants,
    revision,
  };
}

const detailsOf = ({ name, redirectUris, postLogoutRedirectUris, scopes }: z.infer<typeof details>) => ({
  name,
  redirectUris,
  postLogoutRedirectUris,
  scopes,
});
