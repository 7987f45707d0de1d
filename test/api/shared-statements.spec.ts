/** With the parts of an API process in this one, on the stores of a network. */
import { randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { NestFactory } from '@nestjs/core';
import type { INestApplicationContext } from '@nestjs/common';
import { CommandBus, CqrsModule } from '@nestjs/cqrs';
import { pino } from 'pino';
import type { Pool } from 'pg';
import { publishIncarnation } from '../../projections/incarnations/incarnation.js';
import { readPublicationState } from '../../projections/incarnations/recovery-state.js';
import { readConfig } from '../../src/base/config/config.js';
import { AuthorityStore } from '../../src/base/store/authority/authority-store.js';
import { credentialHash } from '../../src/base/store/authority/credential-hash.js';
import { Postgres } from '../../src/base/store/postgres.js';
import { closeAll } from '../../src/base/support/closable.js';
import type { Closable } from '../../src/base/support/closable.js';
import { Telemetry } from '../../src/base/telemetry/telemetry.js';
import { CommandsModule } from '../../src/commands/commands.module.js';
import { ShownPosts } from '../../src/commands/post/shown-posts.js';
import { LikePost } from '../../src/commands/relation/like-post.js';
import type { RelationOutcome } from '../../src/commands/relation/relation-outcome.js';
import { OtherActors } from '../../src/commands/support/other-actors.js';
import { MutationAdmission } from '../../src/doors/api/admission/mutation-admission.js';
import { PublishedStatements } from '../../src/doors/api/admission/published-statements.js';
import { assembledReads } from '../../src/doors/api/sql/reads.js';
import { allScopes } from '../../src/domain/grant/scopes.js';
import { EventLog } from '../../src/log/event-log.js';
import { openResources } from '../../src/programs/api/resources.js';
import { operatorOf, registerApplication } from '../support/api.js';
import type { SignedIn } from '../support/api.js';
import { lentNetwork } from '../support/lent-network.js';
import type { TestNetwork } from '../support/network.js';
import { personWithToken } from '../support/people.js';
import { post, removePost } from '../support/social.js';
import { freezeWorker, thawWorker } from '../support/signals.js';
import { until } from '../support/until.js';

const PLANNED = 20;

let network: TestNetwork;
const opened: Closable[] = [];
let app: INestApplicationContext;
let alice: SignedIn;
let bob: SignedIn;
let suspended: SignedIn;

beforeAll(async () => {
  network = await lentNetwork();
  const application = await registerApplication(network);
  const someone = () => personWithToken(network, application, allScopes.join(' '));
  [alice, bob, suspended] = [await someone(), await someone(), await someone()];
  await operatorOf(network).post('accounts/:id/suspend', { id: suspended.actorId, reason: 'a test' });
  const config = readConfig(network.env);
  const logger = pino({ level: 'silent' });
  const resources = await openResources({ config, logger, telemetry: new Telemetry(), opened });
  const imports = [CqrsModule.forRoot(), resources, CommandsModule];
  app = await NestFactory.createApplicationContext({ module: class {}, imports }, { logger: false });
  opened.push(app);
});

afterAll(async () => {
  await closeAll(opened);
  await network?.stop();
});

afterEach(() => {
  jest.restoreAllMocks();
  thawWorker(network);
});

/** The connections that plan each statement once. */
const reads = (): Pool => app.get(MutationAdmission)['pool'];

const admit = (token: string) =>
  app
    .get(MutationAdmission)
    .admit({ tokenHash: credentialHash(token) }, { scope: 'post:create', publishes: true });

describe('callers of one statement each get their own row', () => {
  it('of their admission', async () => {
    const query = jest.spyOn(reads(), 'query');
    const admitted = await Promise.allSettled(
      [alice.token, 'unknown', bob.token, suspended.token, alice.token].map(admit),
    );
    const outcomes = admitted.map((each) =>
      each.status === 'fulfilled' ? each.value.actorId : (each.reason as { code: string }).code,
    );
    const refused = ['invalid_token', 'social_authority_required'];
    expect(outcomes).toEqual([alice.actorId, refused[0], bob.actorId, refused[1], alice.actorId]);
    expect(query).toHaveBeenCalledTimes(1);
  });

  it('of the states of accounts', async () => {
    const others = app.get(OtherActors);
    const rows = jest.spyOn(app.get(AuthorityStore), 'rows');
    const asked = [alice.actorId, 'unknown', suspended.actorId, alice.actorId];
    const answers = await Promise.all([
      ...asked.map((id) => others.isActive(id)),
      ...asked.map((id) => others.exists(id)),
    ]);
    expect(answers).toEqual([true, false, false, true, true, false, true, true]);
    expect(rows).toHaveBeenCalledTimes(1);
  });
});

it('every read, look-up of a post and admission is planned once, for any values', async () => {
  const statements = app.get(PublishedStatements);
  for (const { queryName: name, text, parameters } of Object.values(assembledReads)) {
    const values = ({ incarnation }: { incarnation: string }) =>
      parameters(incarnation).map(({ value }) => value);
    for (let n = 0; n < PLANNED; n++) await statements.run({ name, text, values });
  }
  for (let n = 0; n < PLANNED; n++) {
    await app.get(ShownPosts).find(alice.actorId, 'none');
    await admit(alice.token);
  }
  const { rows } = await reads().query<{ name: string; custom: number }>(
    `SELECT split_part(name, '@', 1) AS name, custom_plans::integer AS custom FROM pg_prepared_statements
    WHERE generic_plans + custom_plans >= ${PLANNED}`,
  );
  const names = Object.values(assembledReads).map(({ queryName }) => queryName);
  expect(new Set(rows.map(({ name }) => name))).toEqual(
    new Set([...names, 'shown-posts', 'mutation-admission']),
  );
  expect(rows.filter(({ custom }) => custom > 0)).toEqual([]);
});

describe('a like', () => {
  async function like(postId: string): Promise<RelationOutcome> {
    const caller = await admit(bob.token);
    const intent = {
      ...caller,
      intentId: randomUUID(),
      requestId: 'test',
      addressClass: 'loopback',
    } as const;
    return app.get(CommandBus).execute(new LikePost(intent, postId));
  }

  /** The posts that Bob likes, in read models that have this position. */
  async function likedBy({ position }: RelationOutcome): Promise<string[]> {
    const { body } = await bob.get('/api/relations', { 'x-network-min-revision': String(position) });
    return body.relations.map(({ targetId }: { targetId: string }) => targetId);
  }

  const find = (postId: string) => app.get(ShownPosts).find(bob.actorId, postId);

  /** Runs `meanwhile` when the log is first called so, before it answers. */
  function whenFirst(call: 'append' | 'read', meanwhile: () => Promise<unknown>) {
    const log: Record<typeof call, (...args: never[]) => Promise<unknown>> = app.get(EventLog);
    const go = log[call].bind(log);
    return jest.spyOn(log, call).mockImplementationOnce((...args) => meanwhile().then(() => go(...args)));
  }

  /** Publishes the same read models under a new name, as a rollback does. */
  async function publishAgain(): Promise<void> {
    const client = await app.get(Postgres).pool.connect();
    try {
      const { incarnation, networkId } = (await readPublicationState(client))!;
      const again = { incarnation, as: randomUUID(), instead: incarnation, networkId, now: Date.now() };
      expect(await publishIncarnation(client, again)).toBe('published');
    } finally {
      client.release();
    }
  }

  /** Deletes a post of Alice, and waits until its row has come, and is deleted once the worker has applied it. */
  async function removeAndApply(postId: string): Promise<void> {
    freezeWorker(network);
    await removePost(alice, postId);
    expect(await countOutstanding()).toBe(1);
    await thawAndApply();
  }

  async function countOutstanding(): Promise<number | null> {
    return (await app.get(Postgres).pool.query('SELECT FROM recovery.outstanding_restriction')).rowCount;
  }

  async function thawAndApply(): Promise<void> {
    thawWorker(network);
    await until(async () => (await countOutstanding()) === 0);
  }

  it('is appended though the publication is switched and rolled back before', async () => {
    const postId = await post(alice, 'to be liked');
    const append = whenFirst('append', async () => {
      await publishAgain();
      await publishAgain();
    });
    const read = jest.spyOn(app.get(EventLog), 'read');
    const liked = await like(postId);
    expect([append.mock.calls.length, read.mock.calls.length]).toEqual([1, 0]);
    expect(await find(postId)).toMatchObject({ id: postId });
    expect(await likedBy(liked)).toContain(postId);
  });

  it('is not shown if its post is deleted before it is appended', async () => {
    const postId = await post(alice, 'to be deleted');
    whenFirst('append', () => removeAndApply(postId));
    expect(await likedBy(await like(postId))).not.toContain(postId);
    expect(await find(postId)).toBeUndefined();
  });

  it('is refused if the row of a deletion is deleted while the log is read', async () => {
    const postId = await post(alice, 'to be deleted');
    freezeWorker(network);
    await removePost(alice, postId);
    const read = whenFirst('read', thawAndApply);
    await expect(like(postId)).rejects.toMatchObject({ code: 'interaction_unavailable' });
    expect(read).toHaveBeenCalled();
    expect(await find(postId)).toBeUndefined();
  });
});
