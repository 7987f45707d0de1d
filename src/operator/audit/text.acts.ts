import { z } from 'zod';
import { disclose, disclosedText, MAX_DISCLOSED } from './disclose.js';
import { act } from '../desk/act.js';
import { operatorIdOf } from '../desk/caller.js';
import { listOf } from '../desk/schemas.js';
import { disclosedPage } from './pages/disclosed.page.js';

const eventIds = z
  .array(z.uuid('each must be the eventId of an event of the audit'))
  .min(1, 'name at least one event')
  .max(MAX_DISCLOSED, `at most ${MAX_DISCLOSED} events at once`);

export const textActs = [
  act({
    name: 'text.disclose',
    may: 'texts.disclose',
    route: 'POST /operator/texts/disclose',
    command: 'disclose',
    reason: 'required',
    input: z.strictObject({ eventIds }),
    answer: z.strictObject({ disclosed: listOf(disclosedText) }),
    form: { page: (frame, { disclosed }) => disclosedPage(frame, disclosed) },
    run: async (input, { services, caller, metadata }) => ({
      disclosed: await disclose(services, {
        eventIds: [...new Set(input.eventIds)],
        operatorId: operatorIdOf(caller) ?? '',
        metadata,
      }),
    }),
  }),
];
