/** @slow */
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { allScopes } from '../../src/domain/grant/scopes.js';
import { streams } from '../../src/log/streams.js';
import { requestAt } from '../support/api-process.js';
import { registerApplication } from '../support/api.js';
import { personWithToken } from '../support/people.js';
import { startSeparateNetwork } from '../support/separate-network.js';
import type { SeparateNetwork } from '../support/separate-network.js';
import { isSampled, sampleOf } from '../support/sample.js';
import { until } from '../support/until.js';
import { BusyPerson } from './support/busy-person.js';

const PEOPLE = isSampled ? 2 : 4;
/** Acts to be acknowledged while a process is down, and again before the next one is killed. */
const ACTS_PER_KILL = isSampled ? 5 : 15;

let network: SeparateNetwork;
let people: readonly BusyPerson[];

beforeAll(async () => {
  network = await startSeparateNetwork();
  const application = await registerApplication(network);
  people = [];
  for (let n = 0; n < PEOPLE; n++)
    people = [
      ...people,
      new BusyPerson(network, await personWithToken(network, application, allScopes.join(' '))),
    ];
});

afterAll(() => network?.stop());

const acknowledgedActs = () => people.reduce((sum, person) => sum + person.acts, 0);

async function waitForProgress(): Promise<void> {
  const before = acknowledgedActs();
  await until(() => acknowledgedActs() >= before + ACTS_PER_KILL);
}

describe('two API processes and two workers, each killed in turn while people write and read,', () => {
  it('lose nothing, duplicate nothing and continue', async () => {
    const stopped = new AbortController();
    const acting = Promise.all(
      people.map((person, n) => person.actUntil(stopped.signal, people[(n + 1) % PEOPLE] ?? person)),
    );
    const killing = (async () => {
      for (const each of [...sampleOf(network.api, 1), ...sampleOf(network.workers, 1)]) {
        await waitForProgress();
        await each.kill();
        // The other API process serves alone, and the standby worker has taken over.
        await waitForProgress();
        await each.start();
      }
      await waitForProgress();
    })();
    try {
      await Promise.race([killing, acting]);
    } finally {
      stopped.abort();
    }
    await acting;

    for (const person of people) {
      const { actorId } = person.signedIn;
      const kept = new Map([...person.posts].map(([id, { text, revision }]) => [id, { text, revision }]));
      for (const port of network.ports) {
        expect(await person.postsShownBy(port)).toEqual(kept);
        const { body } = await requestAt(network, port, 'GET', `/api/actors/${actorId}`);
        expect(body.actor).toMatchObject({ posts: kept.size, bio: person.bio, followers: 0, following: 0 });
      }
      for (const [id, intents] of [
        ...[...person.posts].map(([post, { intents: done }]) => [post, done] as const),
        ...person.deleted,
      ]) {
        const recorded = await network.opened.log.read(streams.post(id));
        expect(recorded.map(({ metadata }) => metadata.intentId)).toEqual(intents);
      }
    }
    const readiness = async () =>
      (await requestAt(network, network.ports[1] ?? 0, 'GET', '/readyz')).body.status as string;
    await until(async () => (await readiness()) === 'ok');
  });
});
