import { z } from 'zod';
import { SetFourEyes } from '../../commands/approval/set-four-eyes.js';
import { MAX_BATCH_ITEMS } from '../../domain/batch/batch.js';
import { ENOUGH } from '../../domain/four-eyes/handling.js';
import { HttpRefusal } from '../../server/errors.js';
import { streams } from '../../log/streams.js';
import { establishedAmong } from '../desk/approvals/four-eyes.js';
import { act } from '../desk/act.js';
import { changed } from '../desk/schemas.js';
import { fourEyesPage } from './pages/four-eyes.page.js';

const ALONE = 'restrictions without an approval';
const inDay = (count: number) => `${count} of one operator in 24 hours`;

const RANGE = `must be a whole number from 1 to ${MAX_BATCH_ITEMS}`;
const setting = z.strictObject({
  batchItems: z.int(RANGE).min(1, RANGE).max(MAX_BATCH_ITEMS, RANGE).default(100),
});

export const fourEyesActs = [
  act({
    name: 'four_eyes.status',
    may: 'status.read',
    route: 'GET /operator/four-eyes',
    command: 'four-eyes status',
    answer: z.strictObject({
      batchItems: z.number().nullable(),
      active: z.strictObject({ administrators: z.number(), moderators: z.number() }),
    }),
    page: fourEyesPage,
    run: async (_input, { services: { fourEyes, clock } }) => ({
      batchItems: (await fourEyes.batchItems()) ?? null,
      active: establishedAmong(await fourEyes.standings(), clock.now()),
    }),
  }),
  act({
    name: 'four_eyes.turn_on',
    may: 'four_eyes.manage',
    route: 'POST /operator/four-eyes/on',
    command: 'four-eyes on',
    reason: 'optional',
    input: setting,
    answer: changed,
    form: true,
    approval: {
      when: 'if it allows more restrictions than before',
      words: () => ({
        asks: 'Allow more restrictions without an approval',
        does: 'Each operator may restrict more posts and accounts alone.',
        about: null,
      }),
      streamOf: streams.fourEyes,
      preview: async ({ batchItems: to }, { services }) => {
        const from = await services.fourEyes.batchItems();
        return from !== undefined && from < to
          ? { facts: { [`${ALONE} now`]: inDay(from), [`${ALONE} then`]: inDay(to) } }
          : undefined;
      },
    },
    run: async ({ batchItems }, { services, metadata }) => {
      const { administrators } = await services.fourEyes.established();
      if (administrators < ENOUGH)
        throw new HttpRefusal(
          'intent_conflict',
          `Four-eyes needs two active administrators, and there ${administrators === 1 ? 'is 1' : 'are none'}: nobody could approve anything. Invite another one first.`,
        );
      return services.commands.execute(new SetFourEyes(batchItems, metadata));
    },
  }),
  act({
    name: 'four_eyes.turn_off',
    may: 'four_eyes.manage',
    route: 'POST /operator/four-eyes/off',
    command: 'four-eyes off',
    reason: 'optional',
    answer: changed,
    form: true,
    approval: {
      when: 'always',
      words: () => ({
        asks: 'Turn four-eyes off',
        does: 'No act waits for a second operator any more: one operator with the role erases, invites and restricts alone.',
        about: null,
      }),
      streamOf: streams.fourEyes,
      preview: async (_input, { services }) => {
        const batchItems = await services.fourEyes.batchItems();
        return batchItems === undefined
          ? undefined
          : {
              facts: {
                'four-eyes': 'off for every act',
                [`${ALONE} now`]: inDay(batchItems),
              },
            };
      },
    },
    run: (_input, { services, metadata }) => services.commands.execute(new SetFourEyes(undefined, metadata)),
  }),
];
