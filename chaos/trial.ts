import { randomUUID } from 'node:crypto';
import { operatorOf, password, registerApplication } from '../test/support/api.js';
import type { TestNetwork } from '../test/support/network.js';
import { until } from '../test/support/until.js';
import { checkAcknowledged } from './checker/acknowledged.js';
import type { Finding } from './checker/finding.js';
import { checkLogShape } from './checker/log-shape.js';
import { LogState } from './checker/log-state.js';
import { checkViews } from './checker/views.js';
import { Reader } from './client/reader.js';
import { conformanceOf, Session } from './client/session.js';
import { Shared } from './client/shared.js';
import { Writer } from './client/writer.js';
import type { Person } from './client/writer.js';
import type { LogEvent, Operation } from './history.js';
import { isReady } from './is-ready.js';
import type { Random } from './random.js';
import { readLog } from './read-log.js';
import { readView } from './read-views.js';

/** A network that takes longer to serve everyone again counts as down. */
const LONGEST_RETURN_MS = 180_000;
const DEEDS_BETWEEN = 3;

export interface Round {
  readonly fault: string;
  /** Resolves when nothing prevents the network's return. */
  inflict(shared: Shared): Promise<void>;
}

export interface RoundReport {
  readonly round: number;
  readonly fault: string;
  readonly writesGoneMs: number;
  readonly readsGoneMs: number;
  readonly acknowledged: number;
}

export interface TrialResult {
  readonly acknowledged: number;
  readonly reads: number;
  readonly events: number;
  readonly findings: readonly Finding[];
  readonly operations: readonly Operation[];
  readonly log: readonly LogEvent[];
}

export interface TrialOptions {
  readonly clients: number;
  readonly random: Random;
  readonly onRound: (report: RoundReport) => void;
  readonly givenUp: AbortSignal;
}

interface Client {
  readonly person: Person;
  readonly session: Session;
  readonly writer: Writer;
  readonly reader: Reader;
}

/**
 * Runs clients during each round's fault, then compares all their answers with the log and with everyone's final
 * view. Rejects only on an interruption or an internal error.
 */
export async function runTrial(
  network: TestNetwork,
  rounds: readonly Round[],
  options: TrialOptions,
): Promise<TrialResult> {
  const { random, givenUp } = options;
  const shared = new Shared();
  const over = new AbortController();
  const clients = await makeClients(network, shared, options);
  const living = Promise.all(
    clients.flatMap(({ writer, reader }) => [writer.live(over.signal), reader.live(over.signal)]),
  );
  const striking = strike(network, rounds, clients, shared, {
    ...options,
    givenUp: AbortSignal.any([givenUp, over.signal]),
  });
  try {
    await Promise.race([striking, living]);
  } catch (error) {
    givenUp.throwIfAborted();
    shared.findings.push({
      kind: 'wrong',
      what: 'the network did not come back, or a client could not go on',
      evidence: { why: error instanceof Error ? error.stack : String(error) },
    });
  } finally {
    over.abort();
  }
  // the error is a finding already
  await Promise.allSettled([striking, living]);
  givenUp.throwIfAborted();
  const log = await readLog(network.env['EVENTSTORE_URL'] ?? '').catch((error: unknown) => {
    shared.findings.push({ kind: 'wrong', what: 'the log cannot be read', evidence: { why: String(error) } });
  });
  const findings = [...shared.findings, ...shared.sightings.findings];
  if (log) {
    findings.push(...checkLogShape(log), ...checkAcknowledged(shared.operations, log));
    findings.push(...(await checkReads(clients, shared, log, random)));
  }
  return {
    acknowledged: shared.acknowledged,
    reads: shared.reads.count,
    events: log?.length ?? 0,
    findings,
    operations: shared.operations,
    log: log ?? [],
  };
}

async function makeClients(
  network: TestNetwork,
  shared: Shared,
  { clients, random, givenUp }: TrialOptions,
): Promise<Client[]> {
  const served = {
    baseUrl: network.baseUrl,
    application: await registerApplication(network, 'Chaos'),
    conformance: await conformanceOf(network.baseUrl),
    givenUp,
    onFault: (what: string, evidence: Readonly<Record<string, unknown>>) =>
      void shared.findings.push({ kind: 'wrong', what, evidence }),
  };
  const people: Person[] = [];
  for (let n = 0; n < clients; n++) {
    const handle = `c${n}_${randomUUID().slice(0, 8)}`;
    const account = { handle, displayName: handle, email: `${handle}@example.org`, password };
    people.push({ handle, actorId: (await operatorOf(network).post('accounts', account)).actorId });
  }
  return people.map((person) => {
    const others = people.filter((other) => other !== person);
    const session = new Session(served, { handle: person.handle, password });
    const writer = new Writer(person, others, session, shared, random.fork());
    const reader = new Reader(person, others, session, shared, writer, random.fork());
    return { person, session, writer, reader };
  });
}

async function strike(
  network: TestNetwork,
  rounds: readonly Round[],
  clients: readonly Client[],
  shared: Shared,
  { onRound, givenUp }: TrialOptions,
): Promise<void> {
  await everybodyGoesOn(clients, givenUp);
  for (const [n, round] of rounds.entries()) {
    givenUp.throwIfAborted();
    const before = shared.acknowledged;
    shared.writes.begin();
    shared.reads.begin();
    await round.inflict(shared);
    await everybodyGoesOn(clients, givenUp);
    await isWell(network, clients, shared, givenUp);
    onRound({
      round: n + 1,
      fault: round.fault,
      writesGoneMs: Math.round(shared.writes.longestPauseMs),
      readsGoneMs: Math.round(shared.reads.longestPauseMs),
      acknowledged: shared.acknowledged - before,
    });
  }
}

async function everybodyGoesOn(clients: readonly Client[], givenUp: AbortSignal): Promise<void> {
  const goals = clients.map(({ writer, reader }) => ({
    writer,
    reader,
    writes: writer.done + DEEDS_BETWEEN,
    reads: reader.done + DEEDS_BETWEEN,
  }));
  await until(() => {
    givenUp.throwIfAborted();
    return goals.every(({ writer, reader, writes, reads }) => writer.done >= writes && reader.done >= reads);
  }, LONGEST_RETURN_MS);
}

/** Resolves when everyone reads all acknowledged acts and the network is ready. */
async function isWell(
  { baseUrl }: TestNetwork,
  clients: readonly Client[],
  shared: Shared,
  givenUp: AbortSignal,
): Promise<void> {
  const newest = shared.newestRevision;
  await until(async () => {
    givenUp.throwIfAborted();
    if (clients.some(({ person }) => shared.sightings.newestRead(person.actorId) < newest)) return false;
    return isReady(baseUrl);
  }, LONGEST_RETURN_MS);
}

async function checkReads(
  clients: readonly Client[],
  { operations }: Shared,
  log: readonly LogEvent[],
  random: Random,
): Promise<Finding[]> {
  const state = new LogState(log);
  const ids = clients.map(({ person }) => person.actorId);
  const social = log.filter(({ type }) => /^(?:post|relation|block)\./.test(type));
  const newest = social.at(-1)?.position ?? 0;
  const kept = new Set(log.map(({ actorId, intentId }) => `${actorId} ${intentId}`));
  try {
    const [first] = clients;
    if (!first) return [];
    await until(async () => {
      const { header } = await first.session.ask({ method: 'GET', path: '/api/blocks' });
      return Number(header('x-network-revision')) >= newest;
    }, LONGEST_RETURN_MS);
    const views = await Promise.all(
      clients.map(({ session, person: { actorId } }) => {
        const intents = operations.filter((each) => each.actorId === actorId).map(({ intentId }) => intentId);
        return readView(session, actorId, ids, [...state.posts.keys()], intents, random.fork());
      }),
    );
    return checkViews(views, state, operations, kept);
  } catch (error) {
    return [{ kind: 'wrong', what: 'the final reads failed', evidence: { why: String(error) } }];
  }
}
