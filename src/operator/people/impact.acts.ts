import { z } from 'zod';
import { applicationImpact, impactShape } from '../../../projections/audit/impact.read-model.js';
import { HttpRefusal } from '../../server/errors.js';
import { recordLooks } from '../audit/looks.js';
import { beginOf, endOf, TIME_HELP } from '../audit/time.js';
import { act } from '../desk/act.js';
import { applicationName } from '../desk/applications.js';
import { idIn } from '../desk/schemas.js';
import { impactPage } from './pages/impact.page.js';

const MAX_HOURS = 24 * 31;
const MAX_TIME_LENGTH = 64;

const time = z.string().max(MAX_TIME_LENGTH).optional();
const impactWindow = z.strictObject({
  since: time,
  until: time,
  hours: z.coerce.number().int().min(0).max(MAX_HOURS).default(24),
});

const shownImpact = z.strictObject({
  clientId: z.string(),
  name: z.string().nullable(),
  ...impactShape.shape,
});

export const impactActs = [
  act({
    name: 'application.impact',
    may: 'audit.read',
    route: 'GET /operator/applications/:id/impact',
    command: 'app impact',
    input: impactWindow,
    answer: shownImpact,
    page: impactPage,
    run: async ({ since, until, hours }, context) => {
      const { pool, store, clock } = context.services;
      const [now, clientId] = [clock.now(), idIn(context.params)];
      const window = {
        since: timeIn('since', since, (text) => beginOf(text, now)),
        until: timeIn('until', until, (text) => endOf(text, now)),
      };
      const [impact, name] = await Promise.all([
        applicationImpact(pool, clientId, window, hours),
        applicationName(store, clientId),
      ]);
      if (name === null && impact.first === null)
        throw new HttpRefusal('not_found', 'There is no such application.');
      await recordLooks(context, [{ appId: clientId }]);
      return { clientId, name, ...impact };
    },
  }),
];

function timeIn(
  name: string,
  text: string | undefined,
  read: (text: string) => number | undefined,
): number | undefined {
  const at = text === undefined ? undefined : read(text);
  if (text !== undefined && at === undefined)
    throw new HttpRefusal('invalid_request', `${name} (--${name}): must be ${TIME_HELP}`);
  return at;
}
