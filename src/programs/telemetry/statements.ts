import { AsyncLocalStorage } from 'node:async_hooks';
import { DatabaseError } from 'pg';
import type { ClientBase, Pool, PoolClient } from 'pg';
import type { End, Telemetry } from '../../base/telemetry/telemetry.js';

export type ObservedStore = 'read' | 'vault';

type Query = (...args: readonly unknown[]) => unknown;

export function observePool(pool: Pool, store: ObservedStore, telemetry: Telemetry): void {
  const observed = new WeakSet<ClientBase>();
  pool.on('acquire', (client: PoolClient) => {
    if (observed.has(client)) return;
    observed.add(client);
    observeClient(client, store, telemetry);
  });
  if (telemetry.hasTraces) keepContext(pool);
}

/** Observes every statement of a client, except streams. A span has no text of the statement. */
export function observeClient(client: ClientBase, store: ObservedStore, telemetry: Telemetry): void {
  const query = client.query.bind(client) as Query;
  const observing: Query = (...args) => {
    const [statement] = args;
    if (isStream(statement)) return query(...args);
    const end = begin(statement, store, telemetry);
    const callback = args.at(-1);
    if (typeof callback === 'function')
      return query(...args.slice(0, -1), (error: unknown, result: unknown) => {
        end(error ?? undefined);
        (callback as Query)(error, result);
      });
    const pending = query(...args) as Promise<unknown>;
    pending.then(() => end(), end);
    return pending;
  };
  client.query = observing as ClientBase['query'];
}

function begin(statement: unknown, store: ObservedStore, telemetry: Telemetry): End {
  const { text = '', name } = (typeof statement === 'string' ? { text: statement } : statement) as {
    readonly text?: string;
    readonly name?: string;
  };
  const operation = operationOf(text);
  return telemetry.begin({
    histogram: telemetry.metrics.statements,
    labels: (error) => ({ store, db_operation_name: operation, error_type: errorTypeOf(error) }),
    span: () => ({
      name: operation,
      kind: 'client',
      needsParent: true,
      attributes: {
        'db.system.name': 'postgresql',
        'db.operation.name': operation,
        'plaza.store': store,
        ...(name !== undefined && { 'plaza.statement': name }),
      },
    }),
  }).end;
}

const operations: ReadonlySet<string> = new Set([
  'BEGIN',
  'COMMIT',
  'DELETE',
  'INSERT',
  'ROLLBACK',
  'SELECT',
  'SET',
  'UPDATE',
  'WITH',
]);

function operationOf(text: string): string {
  const word = /^\s*(\w+)/.exec(text)?.[1]?.toUpperCase() ?? '';
  return operations.has(word) ? word : 'OTHER';
}

/** The SQLSTATE, whose message may quote a value. Empty: the statement succeeded. */
function errorTypeOf(error: unknown): string {
  if (error === undefined) return '';
  return (error instanceof DatabaseError ? error.code : undefined) ?? 'unreachable';
}

/** A cursor or a COPY: `pg` calls its `submit`. */
const isStream = (statement: unknown): boolean =>
  typeof statement === 'object' && statement !== null && 'submit' in statement;

/** The pool calls back in the context of the request that released the connection. */
function keepContext(pool: Pool): void {
  const connect = pool.connect.bind(pool) as Query;
  const connecting: Query = (callback) =>
    typeof callback === 'function' ? connect(AsyncLocalStorage.bind(callback as Query)) : connect();
  pool.connect = connecting as Pool['connect'];
}
