import { randomUUID } from 'node:crypto';
import type { Readable } from 'node:stream';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import type { Pool } from 'pg';
import { pino } from 'pino';
import { serving } from '../../projections/groups.js';
import { versionsOf } from '../../projections/runner/projection.js';
import { PositionListener } from '../../src/base/store/position-listener.js';
import { systemClock } from '../../src/base/support/clock.js';
import { TrustedProxies } from '../../src/base/config/trusted-proxies.js';
import { allScopes } from '../../src/domain/grant/scopes.js';
import { ProtectedReads } from '../../src/doors/api/admission/protected-reads.js';
import { PublicationCache } from '../../src/doors/api/admission/publication.js';
import { PublishedStatements } from '../../src/doors/api/admission/published-statements.js';
import { RestrictionProof } from '../../src/doors/api/admission/restriction-proof.js';
import { SharedReads } from '../../src/doors/api/admission/shared-reads.js';
import { errorBody } from '../../src/server/error.filter.js';
import { EventStreams } from '../../src/doors/api/resources/events/event-streams.js';
import { FeedReads } from '../../src/doors/api/resources/events/feed-reads.js';
import { RequestLimits } from '../../src/doors/api/limits/request-limits.js';
import { RequestMeter } from '../../src/doors/api/limits/request-meter.js';
import { PUBLICATION_CHANNEL } from '../../projections/incarnations/incarnation.js';
import { readPublicationState } from '../../projections/incarnations/recovery-state.js';
import { credentialHash } from '../../src/base/store/authority/credential-hash.js';
import { openReadStore } from '../../src/base/store/database.js';
import type { Postgres } from '../../src/base/store/postgres.js';
import { operatorOf, registerApplication, send, signIn } from '../support/api.js';
import type { Answer, Application, SignedIn } from '../support/api.js';
import { openEventStream } from '../support/event-stream.js';
import type { EventStream } from '../support/event-stream.js';
import { lentNetwork } from '../support/lent-network.js';
import type { TestNetwork } from '../support/network.js';
import { until } from '../support/until.js';

let network: TestNetwork;
let application: Application;
const opened: EventStream[] = [];

beforeAll(async () => {
  network = await lentNetwork();
  application = await registerApplication(network);
});
afterEach(() => opened.splice(0).forEach((stream) => stream.close()));
afterAll(() => network?.stop());

const someone = () => signIn(network, application, allScopes.join(' '));
const intent = () => ({ intentId: randomUUID() });

async function streamOf(who: SignedIn | undefined): Promise<EventStream> {
  const headers: Record<string, string> = who ? { authorization: `Bearer ${who.token}` } : {};
  const stream = await openEventStream(network.baseUrl, { headers });
  opened.push(stream);
  await until(() => stream.messages.length > 0);
  return stream;
}

const eventsSentTo = ({ messages }: EventStream) =>
  messages.flatMap(({ event, data }) =>
    event === undefined ? [] : [event === 'replace' ? 'replace' : (JSON.parse(data ?? '') as object)],
  );

function revoke({ token }: SignedIn): Promise<Response> {
  const { clientId, clientSecret } = application;
  return fetch(`${network.baseUrl}/api/auth/oauth2/revoke`, {
    method: 'POST',
    headers: {
      authorization: `Basic ${btoa(`${clientId}:${clientSecret}`)}`,
      'content-type': 'application/x-www-form-urlencoded',
    },
    body: new URLSearchParams({ token }),
  });
}

describe('many event streams', () => {
  it('send each viewer the same events as that viewer’s pages', async () => {
    const [ada, bob, cleo, dan] = [await someone(), await someone(), await someone(), await someone()];
    const viewers = [ada, bob, cleo, dan, undefined];
    let watchers = await Promise.all(
      [...viewers, ...viewers].map(async (viewer) => ({ viewer, stream: await streamOf(viewer) })),
    );
    const pageOf = (who: SignedIn | undefined, cursor: number): Promise<Answer> =>
      who
        ? who.get(`/api/events?cursor=${cursor}`)
        : send(network.baseUrl, 'GET', `/api/events?cursor=${cursor}`);
    let { cursor } = (await ada.get('/api/events')).body as { cursor: number };
    let checked = 0;

    /** Runs an act, and compares every stream with the page of its viewer before the next act. */
    const actAndCompare = async (act: () => Promise<unknown>) => {
      const before = new Map(watchers.map(({ stream }) => [stream, eventsSentTo(stream).length]));
      await act();
      const pages = new Map<SignedIn | undefined, Answer['body']>();
      for (const { viewer } of watchers)
        pages.set(
          viewer,
          await until(async () => {
            const { body } = await pageOf(viewer, cursor);
            // The helpers do not wait until acts of operators are projected.
            return body.cursor > cursor && body;
          }),
        );
      for (const { viewer, stream } of watchers) {
        const page = pages.get(viewer);
        const sent = () => eventsSentTo(stream).slice(before.get(stream));
        await until(() => (page.replace ? sent().includes('replace') : sent().length >= page.events.length));
        // Events before a `replace` do not matter.
        expect(page.replace ? page.events : sent()).toEqual(page.events);
        checked += page.events.length;
      }
      cursor = Math.min(...[...pages.values()].map((page) => page.cursor));
    };
    const say = async (by: SignedIn, text: string, fields: object = {}) => {
      let id = '';
      await actAndCompare(async () => {
        ({ id } = (await by.say(text, fields)).body.post);
      });
      return id;
    };

    await actAndCompare(() => bob.put(`/api/relations/follow/${ada.actorId}`, intent()));
    await actAndCompare(() => cleo.put(`/api/relations/follow/${ada.actorId}`, intent()));
    const question = await say(ada, 'a question');
    await say(cleo, 'a reply', { parentId: question });
    await actAndCompare(() => dan.put(`/api/relations/like/${question}`, intent()));
    await actAndCompare(() =>
      ada.patch(`/api/posts/${question}`, { ...intent(), revision: 1, text: 'a better one' }),
    );
    await actAndCompare(() => dan.put(`/api/blocks/${ada.actorId}`, intent()));
    await say(ada, 'not for Dan');
    await actAndCompare(() => cleo.put(`/api/blocks/${bob.actorId}`, intent()));
    await say(bob, 'not for Cleo', { parentId: question });
    watchers = watchers.filter(({ viewer }) => viewer !== cleo);
    await actAndCompare(() =>
      operatorOf(network).post('accounts/:id/suspend', { id: cleo.actorId, reason: 'for the test' }),
    );
    await say(ada, 'not while Cleo is suspended');
    await actAndCompare(() =>
      operatorOf(network).post('accounts/:id/reinstate', { id: cleo.actorId, reason: 'for the test' }),
    );
    await actAndCompare(() => ada.delete(`/api/posts/${question}?intentId=${randomUUID()}&revision=2`));
    const { revision } = (await ada.get('/api/profile')).body.profile;
    await actAndCompare(() => ada.patch('/api/profile', { ...intent(), revision, bio: 'keeper of lamps' }));
    await actAndCompare(() => bob.delete(`/api/relations/follow/${ada.actorId}?intentId=${randomUUID()}`));
    await say(ada, 'for whoever has no name');
    expect(checked).toBeGreaterThan(40);
  });

  it('end one by one, when their own token is revoked or their account suspended', async () => {
    const [ada, bob, cleo] = [await someone(), await someone(), await someone()];
    const all = await Promise.all([ada, ada, bob, cleo, undefined, undefined].map(streamOf));
    const [first, second, ofBob, ofCleo, ...others] = all;
    await revoke(bob);
    await until(() => ofBob?.ended());
    expect(ofBob && eventsSentTo(ofBob)).toMatchObject([{ error: 'invalid_token' }]);
    await operatorOf(network).post('accounts/:id/suspend', { id: cleo.actorId, reason: 'for the test' });
    await until(() => ofCleo?.ended());
    expect(ofCleo && eventsSentTo(ofCleo).at(-1)).toMatchObject({ error: 'social_authority_required' });
    await ada.say('still here');
    for (const stream of [first, second, ...others]) {
      await until(
        () => stream && eventsSentTo(stream).some((each) => JSON.stringify(each).includes('still here')),
      );
      expect(stream?.ended()).toBe(false);
    }
  });
});

describe('one API process', () => {
  let database: Postgres;
  let positions: PositionListener;
  let streams: EventStreams;
  const bodies: Readable[] = [];
  const statements: string[] = [];

  beforeAll(async () => {
    const databaseUrl = network.env['DATABASE_URL'] ?? '';
    database = await openReadStore({ url: databaseUrl, applicationName: 'test', maxConnections: 4 });
    const logger = pino({ level: 'silent' });
    positions = new PositionListener({
      databaseUrl,
      publicationChannel: PUBLICATION_CHANNEL,
      read: readPublicationState,
      readGroup: () => Promise.resolve(undefined),
      logger,
    });
    positions.start();
    await until(() => positions.current());
  });
  afterEach(async () => {
    for (const body of bodies.splice(0)) body.destroy();
    await streams?.onModuleDestroy();
  });
  afterAll(async () => {
    await positions?.stop();
    await database?.close();
  });

  it.each([10, 60])('reads each event once for all, with %i streams of several callers', async (count) => {
    const reads = readsOf(recordNames(database.pool, statements));
    streams = new EventStreams(
      {
        changes: positions,
        clock: systemClock,
        reads,
        explain: (fault) => errorBody(fault, pino({ level: 'silent' })),
      },
      { ofListener: Infinity, ofProcess: Infinity, anonymous: Infinity },
    );
    const people = [await someone(), await someone(), await someone(), await someone()];
    const author = await someone();
    for (const person of people) await person.put(`/api/relations/follow/${author.actorId}`, intent());
    const received: string[] = [];
    for (let n = 0; n < count; n++) {
      const person = people[n % (people.length + 1)];
      const reader = {
        credential: person && { tokenHash: credentialHash(person.token) },
        meter: new RequestMeter({ ip: '127.0.0.1' }, { headers: () => undefined as never }),
      };
      const body = streams.start('any', await reads.read(reader, undefined), reader).setEncoding('utf8');
      body.on('data', (text: string) => text.includes('post.created') && received.push(text));
      bodies.push(body);
    }
    const postAndCount = async () => {
      statements.length = received.length = 0;
      await author.say('one post');
      await until(() => received.length === count);
      return statements.filter((name) => name.startsWith('shared-feed')).length;
    };
    // After the first post all streams are at the same position.
    await postAndCount();
    const statementCount = await postAndCount();
    expect(statementCount).toBeGreaterThan(0);
    // One for the post, and one for each position or five-second check that falls into this moment: none for each stream.
    expect(statementCount).toBeLessThan(count / 2);
    expect(statements).toHaveLength(statementCount);
  });

  function readsOf(pool: Pool): FeedReads {
    const published = new PublishedStatements(pool, new PublicationCache(pool, versionsOf(serving)));
    const limits = new RequestLimits(pool, Buffer.alloc(32), systemClock, new TrustedProxies([]), 'off');
    const proof = new AlwaysProven();
    return new FeedReads(
      new ProtectedReads(published, positions, systemClock, limits, proof),
      new SharedReads(published, positions, systemClock, proof),
    );
  }
});

class AlwaysProven extends RestrictionProof {
  readonly isLogCompared = true;

  unavailableReason(): string | undefined {
    return undefined;
  }

  reachWitness(): Promise<void> {
    return Promise.resolve();
  }
}

/** Records the name of each statement. */
function recordNames(pool: Pool, names: string[]): Pool {
  const query = (statement: { readonly name: string }) => {
    names.push(statement.name);
    return pool.query(statement as never);
  };
  return Object.create(pool, { query: { value: query } }) as Pool;
}
