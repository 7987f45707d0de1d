import { z } from 'zod';
import { disclose, MAX_DISCLOSED } from './disclose.js';
import { act } from '../desk/act.js';
import { operatorIdOf } from '../desk/caller.js';

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
    inConsole: true,
    input: z.strictObject({ eventIds }),
    run: async (input, { services, caller, metadata }) => ({
      disclosed: await disclose(services, {
        eventIds: [...new Set(input.eventIds)],
        operatorId: operatorIdOf(caller) ?? '',
        metadata,
      }),
    }),
  }),
];
