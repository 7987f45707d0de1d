import { randomUUID } from 'node:crypto';
import { allScopes } from '../../src/domain/grant/scopes.js';
import { Failure } from '../../src/base/terminal/failure.js';
import { requestAt } from '../../test/support/api-process.js';
import { operatorOf, password, registerApplication, signIn } from '../../test/support/api.js';
import type { TestNetwork } from '../../test/support/network.js';
import { until } from '../../test/support/until.js';
import type { Act, Operation } from '../history.js';
import { isToRepeat } from './session.js';
import type { Shared } from './shared.js';
import { outcomeFrom, requestFor } from './writer.js';

/** Longest time until a definite answer. */
const PATIENCE_MS = 180_000;

/** Two persons whom the switcher can block and follow. */
export interface Pair {
  readonly blocked: string;
  readonly followed: string;
}

/** A person who acts through one API process and then through another. Nobody else knows this person. */
export interface Switcher {
  readonly pairs: readonly Pair[];
  /** Blocks one and follows the other, through the process on this port. */
  establish(pair: Pair, port: number): Promise<void>;
  /** Unblocks and unfollows them, likewise. */
  end(pair: Pair, port: number): Promise<void>;
}

/** Registers the person and those of `count` pairs. */
export async function newSwitcher(network: TestNetwork, shared: Shared, count: number): Promise<Switcher> {
  const { token, actorId } = await signIn(
    network,
    await registerApplication(network, 'Switcher'),
    allScopes.filter((name) => name !== 'offline_access').join(' '),
  );
  const newPerson = async (role: string): Promise<string> => {
    const { actorId: id } = await until(() => {
      const handle = `${role}_${randomUUID().slice(0, 8)}`;
      const account = { handle, displayName: handle, email: `${handle}@example.org`, password };
      return operatorOf(network)
        .post('accounts', account)
        .catch((error: unknown) => {
          // The nodes may still elect a leader.
          if (error instanceof Failure) return undefined;
          throw error;
        });
    }, PATIENCE_MS);
    return id;
  };
  const pairs: Pair[] = [];
  for (let n = 0; n < count; n++)
    pairs.push({ blocked: await newPerson('blocked'), followed: await newPerson('followed') });

  let knownRevision = 0;
  let acts = 0;
  /** Repeats one intent until a definite answer. */
  const carryOut = async (act: Act, port: number): Promise<void> => {
    const operation: Operation = {
      actorId,
      intentId: `switch-${++acts}`,
      act,
      sentAt: shared.ticks.next(),
      knownRevision,
      outcome: { is: 'open' },
      repeated: [],
    };
    shared.operations.push(operation);
    const { method, path, body } = requestFor(act, operation.intentId);
    const answer = await until(async () => {
      const {
        status,
        body: read,
        headers,
      } = await requestAt(network, port, method, path, { by: { token }, body });
      const given = { status, body: read, header: (name: string) => headers[name]?.toString() };
      return isToRepeat(given) ? undefined : given;
    }, PATIENCE_MS);
    operation.outcome = outcomeFrom(answer);
    operation.answeredAt = shared.ticks.next();
    if (operation.outcome.is !== 'acknowledged') return;
    shared.acknowledged++;
    knownRevision = Math.max(knownRevision, operation.outcome.revision);
    shared.newestRevision = Math.max(shared.newestRevision, knownRevision);
  };
  return {
    pairs,
    establish: async ({ blocked, followed }, port) => {
      await carryOut({ kind: 'block', actorId: blocked }, port);
      await carryOut({ kind: 'follow', actorId: followed }, port);
    },
    end: async ({ blocked, followed }, port) => {
      await carryOut({ kind: 'unblock', actorId: blocked }, port);
      await carryOut({ kind: 'unfollow', actorId: followed }, port);
    },
  };
}
