import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { serving } from '../../projections/groups.js';
import type { Handler } from '../../projections/runner/projection.js';
import type { EventType } from '../../src/log/registry.js';
import { startTestPostgres } from '../support/postgres.js';
import type { TestPostgres } from '../support/postgres.js';
import { oneOfEach, ReadModels } from './support/read-models.js';
import { some } from './support/recorded.js';

const events = oneOfEach(some);
const handlers = serving.projections.flatMap(({ name, handlers }) =>
  Object.entries(handlers).map(([type, handler]) => ({
    name,
    type,
    handler: handler as unknown as Handler<never>,
  })),
);

/** Whether `other` has all fields of `own`: then a handler cannot notice the wrong type. */
const hasShapeOf = (own: string, other: object): boolean =>
  Object.keys(events.get(own as EventType)?.data ?? {}).every((field) => field in other);

describe('a handler that is given an event of another type', () => {
  let postgres: TestPostgres;
  let models: ReadModels;

  beforeAll(async () => {
    postgres = await startTestPostgres();
    models = await ReadModels.open(await postgres.createDatabase());
    await models.given(...events.values());
  });
  afterAll(async () => {
    await models.close();
    await postgres.stop();
  });

  test.each(handlers)('writes nothing: $name on $type', async ({ type, handler }) => {
    const others = [...events].filter(([, { data }]) => !hasShapeOf(type, data));
    const outcomes: string[] = [];
    for (const [other, event] of others)
      outcomes.push(`${other} ${await models.giveToHandler(handler, event)}`);
    expect(outcomes.filter((outcome) => outcome.endsWith('changed'))).toEqual([]);
  });
});
