import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { serving } from '../../projections/groups.js';
import type { Handler } from '../../projections/runner/projection.js';
import type { Recorded } from '../../src/log/recorded.js';
import type { EventType, StoredEvent } from '../../src/log/registry.js';
import { startTestPostgres } from '../support/postgres.js';
import type { TestPostgres } from '../support/postgres.js';
import { oneOfEach, ReadModels } from './support/read-models.js';
import { Recorder, some } from './support/recorded.js';

const events = oneOfEach(some);
const handlers = serving.projections.flatMap(({ name, handlers }) =>
  Object.entries(handlers).map(([type, handler]) => ({
    name,
    type,
    handler: handler as unknown as Handler<never>,
  })),
);

/** The fields of its own event that a handler reads: it cannot notice the wrong type of an event that has them all. */
function fieldsReadBy(handler: Handler<never>, own: StoredEvent): readonly string[] {
  const fields = new Set<string>();
  const data = new Proxy<object>(own.data, {
    get: (target, field) => {
      if (field in target) fields.add(String(field));
      return Reflect.get(target, field) as unknown;
    },
  });
  const recorded = new Recorder().record(Object.assign({}, own, { data }));
  handler(recorded as Recorded<never>, () => undefined);
  return [...fields];
}

/** An erasure is final: its handler checks the type, so no event is excepted but those with all fields of its own. */
function fieldsToNotice(name: string, handler: Handler<never>, type: string): readonly string[] {
  const own = events.get(type as EventType);
  if (!own) return [];
  return name === 'erasure' ? Object.keys(own.data) : fieldsReadBy(handler, own);
}

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

  test.each(handlers)('writes nothing: $name on $type', async ({ name, type, handler }) => {
    const fields = fieldsToNotice(name, handler, type);
    const others = [...events].filter(
      ([other, { data }]) => other !== type && fields.some((field) => !(field in data)),
    );
    const outcomes: string[] = [];
    for (const [other, event] of others)
      outcomes.push(`${other} ${await models.giveToHandler(handler, event)}`);
    expect(outcomes.filter((outcome) => outcome.endsWith('changed'))).toEqual([]);
  });
});
