import { createSecretKey, randomUUID } from 'node:crypto';
import { pino } from 'pino';
import { casesGroup } from '../../projections/cases/cases.projection.js';
import { projectInline } from '../../projections/authority/authority.projection.js';
import { Applier } from '../../projections/runner/applier.js';
import { dispatcherOf, eventTypesOf } from '../../projections/runner/projection.js';
import { fixedSchemaTarget } from '../../projections/runner/target.js';
import { openCases } from '../../src/background/cases/open-cases.js';
import { Config, readConfig } from '../../src/base/config/config.js';
import { LOGGER } from '../../src/base/config/logger.js';
import { AuthorityStore } from '../../src/base/store/authority/authority-store.js';
import { openReadStore } from '../../src/base/store/database.js';
import { PositionListener } from '../../src/base/store/position-listener.js';
import { Postgres } from '../../src/base/store/postgres.js';
import { BoundedClock } from '../../src/base/support/bounded-clock.js';
import { Clock } from '../../src/base/support/clock.js';
import { IdGenerator, systemIds } from '../../src/base/support/id-generator.js';
import { Refused } from '../../src/base/terminal/failure.js';
import { ShownPosts } from '../../src/commands/post/shown-posts.js';
import { ReadModels } from '../../src/commands/account/read-models.js';
import type { Role } from '../../src/domain/operator/roles.js';
import { Refusal } from '../../src/domain/refusal.js';
import { PublicPosts } from '../../src/doors/api/admission/public-posts.js';
import { PublicProfiles } from '../../src/doors/api/admission/public-profiles.js';
import { PublicationCache } from '../../src/doors/api/admission/publication.js';
import { PublishedStatements } from '../../src/doors/api/admission/published-statements.js';
import { RestrictionProof } from '../../src/doors/api/admission/restriction-proof.js';
import { EventLog } from '../../src/log/event-log.js';
import type { StoredEvent } from '../../src/log/registry.js';
import { streams } from '../../src/log/streams.js';
import { KeyVault } from '../../src/log/vault/key-vault.js';
import { NetworkSecrets } from '../../src/log/vault/network-secrets.js';
import { openWitness } from '../../src/log/witness/open-witness.js';
import { Witness } from '../../src/log/witness/witness.js';
import { AwaitsApproval } from '../../src/operator/client/awaits-approval.js';
import { Answer } from '../../src/operator/desk/act.js';
import { Acts } from '../../src/operator/desk/acts.js';
import { AwaitedApproval } from '../../src/operator/desk/approvals/awaited-approval.js';
import { Authentication } from '../../src/operator/desk/identity/authentication.js';
import { Sessions } from '../../src/operator/desk/identity/sessions.js';
import { actServicesOf } from '../../src/operator/desk/services.js';
import type { ActServices } from '../../src/operator/desk/services.js';
import { actOfRoute, actTable } from '../../src/operator/entrances/table.js';
import { HttpRefusal } from '../../src/server/errors.js';
import { MemoryLog } from '../projections/support/memory-log.js';
import { some } from '../projections/support/recorded.js';
import { madeOf } from './commands.js';
import type { Commands } from './commands.js';
import type { OperatorClient } from './operator-client.js';
import { someName } from './operators.js';
import type { TestPostgres } from './postgres.js';

/** Performs acts with one credential, as the client of the operator API does. */
export type Seat = OperatorClient;

export interface OperatorsSeat extends Seat {
  readonly operatorId: string;
  readonly token: string;
}

const SHARED_TOKEN = 'the shared token';

/**
 * The desk of operators in the test's process: who may do an act, what waits for another operator, the commands and their rules. The log
 * is in memory; tables are in Postgres, where commands and {@link Desk.follow} write them. There is no HTTP, no worker and no witness.
 */
export class Desk {
  private constructor(
    readonly log: MemoryLog,
    readonly services: ActServices,
    private readonly authentication: Authentication,
    private readonly time: { now: number },
    readonly follow: () => Promise<void>,
    readonly close: () => Promise<void>,
  ) {}

  /** `now`: what its clock says until {@link advance}. */
  static async open(postgres: TestPostgres, now = Date.UTC(2026, 0, 1)): Promise<Desk> {
    const url = await postgres.createReadStore();
    const database = await openReadStore({ url, applicationName: 'test', maxConnections: 4 });
    await database.pool.query(`
      INSERT INTO recovery.incarnation (incarnation, schema_name, versions, created_at) VALUES ('i', 'inc_i', '{}', now());
      INSERT INTO recovery.publication (incarnation, status, network_id) VALUES ('i', 'serving', 'n')`);
    const log = new MemoryLog();
    log.add(some.founding('n'));
    const time = { now };
    const clock = { now: () => time.now };
    const follow = inTurn(() => applyCases(database, log, clock));
    const positions = { waitFor: follow, waitForGroup: follow };
    const config = readConfig({});
    const proof = { unavailableReason: () => undefined };
    const publications = new PublicationCache(database.pool, {});
    const statements = new PublishedStatements(database.pool, publications);
    const part = madeOf([
      [AuthorityStore, new AuthorityStore(database.dataSource)],
      [Clock, clock],
      [Config, config],
      [EventLog, log],
      [IdGenerator, systemIds],
      [KeyVault, vaultOf(log)],
      [NetworkSecrets, { get: (_name: string, generate: () => Buffer) => Promise.resolve(generate()) }],
      [PositionListener, positions],
      [Postgres, database],
      [ShownPosts, { find: () => Promise.resolve(undefined) }],
      [ReadModels, { finishErasure: () => Promise.resolve(true) }],
      [PublicPosts, new PublicPosts(statements, clock, proof as never)],
      [PublicProfiles, new PublicProfiles({ statements, clock, proof: proof as never })],
      [RestrictionProof, proof],
      [Witness, openWitness({ url: undefined, applicationName: 'test' })],
      [PublishedStatements, statements],
      [LOGGER as never, pino({ level: 'silent' })],
    ]);
    const services = actServicesOf({ get: part } as Parameters<typeof actServicesOf>[0]);
    const sessions = new Sessions(services.store, clock);
    const sharedToken = SHARED_TOKEN;
    const authentication = new Authentication({ ...services, sessions, sharedToken, proof } as never);
    return new Desk(log, services, authentication, time, follow, () => database.close());
  }

  private readonly acts = new Acts(this.services, actTable);

  readonly shared = this.seatOf(SHARED_TOKEN);

  get commands(): Commands {
    return this.services.commands;
  }

  advance(ms: number): void {
    this.time.now += ms;
  }

  /** An operator with these roles, invited with `by`. */
  async enroll(roles: readonly Role[], name = someName(), by: Seat = this.shared): Promise<OperatorsSeat> {
    const { invitationCode } = await by.post('operators', { name, roles });
    return this.accept(invitationCode);
  }

  async accept(invitationCode: string): Promise<OperatorsSeat> {
    const { operatorId, token } = await this.shared.post('enrollments', { invitationCode });
    return { operatorId, token, ...this.seatOf(token) };
  }

  /** Appends events and writes the rows of the authority store. */
  async given(stream: string, ...events: readonly StoredEvent[]): Promise<void> {
    const expected = (await this.log.read(stream)).at(-1)?.revision ?? 'no_stream';
    const added = events.map((event) => ({ id: randomUUID(), event }));
    await this.log.append({ stream, expected, events: added, metadata: { requestId: 'test' } });
    await projectInline((await this.log.read(stream)).slice(-events.length), this.services.store.db);
  }

  /** Returns the id of a new account. */
  async account(): Promise<string> {
    const actorId = systemIds.random();
    await this.given(streams.account(actorId), some.account(actorId));
    return actorId;
  }

  /** Returns the id of a new post. */
  async post(authorActorId: string): Promise<string> {
    const postId = systemIds.random();
    await this.given(streams.post(postId), some.post(postId, { authorActorId }));
    return postId;
  }

  seatOf(token: string): Seat {
    const asking =
      (method: string) =>
      async (path: string, given: object = {}) => {
        try {
          return await this.perform(token, method, `/operator/${path}`, given);
        } catch (error) {
          if (error instanceof Refusal || error instanceof HttpRefusal)
            throw new Refused(`${error.message} (${error.code})`, { cause: error });
          throw error;
        }
      };
    return { get: asking('GET'), post: asking('POST') } as Seat;
  }

  /** As the routes do (src/operator/entrances/act-routes.ts). */
  private async perform(token: string, method: string, path: string, given: object): Promise<unknown> {
    const row = actOfRoute(method, path);
    if (!row) throw new Error(`no act has the route ${method} ${path}`);
    const isOpen = row.may === 'invitation' || row.may === 'anyone';
    const caller = isOpen
      ? ({ kind: 'anyone' } as const)
      : await this.authentication.callerOf(`Bearer ${token}`, row.may);
    const sent = JSON.parse(JSON.stringify(given)) as Readonly<Record<string, unknown>>;
    const isParam = ([name]: readonly [string, unknown]) => path.split('/').includes(`:${name}`);
    const fields = Object.entries(sent).filter((field) => !isParam(field));
    const answer = await this.acts.perform(row, {
      caller,
      requestId: 'test',
      clientRequestId: 'test',
      claimedName: 'test',
      idempotencyKey: undefined,
      params: asText(Object.entries(sent).filter(isParam)),
      input: method === 'GET' ? asText(fields) : Object.fromEntries(fields),
    });
    if (answer instanceof AwaitedApproval) throw new AwaitsApproval(answer.request);
    return answer instanceof Answer ? answer.body : answer;
  }
}

/** As in an address. */
const asText = (fields: readonly (readonly [string, unknown])[]) =>
  Object.fromEntries(fields.map(([name, value]) => [name, String(value)]));

/** Applies what is new to the queue of cases, and opens cases, as the worker does. */
async function applyCases({ pool }: Postgres, log: MemoryLog, now: Clock): Promise<void> {
  const client = await pool.connect();
  const clock = new BoundedClock('desk', now);
  try {
    const { checkpoints } = await fixedSchemaTarget(client, casesGroup, 'cases');
    for (let length = -1; length !== log.length;) {
      length = log.length;
      const after = await checkpoints.read(client);
      const applier = new Applier(client, checkpoints, dispatcherOf(casesGroup), after);
      const { signal } = new AbortController();
      const types = eventTypesOf(casesGroup);
      for await (const { events, caughtUp } of log.subscribe({ after, types, batchSize: 1_000, signal })) {
        await applier.apply(events);
        if (caughtUp) break;
      }
      await openCases({ client, log, ids: systemIds, clock });
    }
  } finally {
    client.release();
  }
}

/** Keys that nothing is encrypted with. Without its key, the log has placeholders. */
const vaultOf = (log: MemoryLog): Pick<KeyVault, 'keyOf' | 'destroy'> => ({
  keyOf: (person) => Promise.resolve({ id: randomUUID(), key: createSecretKey(person, 'utf8') }),
  destroy: (person) => Promise.resolve(log.destroyKey(person)).then(() => true),
});

/** Runs one call after the other. */
function inTurn(run: () => Promise<void>): () => Promise<void> {
  let last = Promise.resolve();
  return () => (last = last.then(run));
}
