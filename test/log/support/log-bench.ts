import { randomBytes, randomUUID } from 'node:crypto';
import { Client } from 'pg';
import type {
  AppendedEvents,
  Batch,
  Checkpoint,
  EventLog,
  SubscribeOptions,
} from '../../../src/log/event-log.js';
import { openLog } from '../../../src/log/open-log.js';
import type { OpenLog } from '../../../src/log/open-log.js';
import type { StoredEvent } from '../../../src/log/registry.js';
import type { KeyVault } from '../../../src/log/vault/key-vault.js';
import { startEmbeddedEventStore } from '@plaza/event-store/testing';
import type { EmbeddedEventStore } from '@plaza/event-store/testing';
import { startTestPostgres } from '../../support/postgres.js';
import type { TestPostgres } from '../../support/postgres.js';

export const newId = () => randomBytes(12).toString('base64url');
export const metadata = { requestId: 'test' };

export function post(postId: string, authorActorId: string, text: string): StoredEvent {
  return {
    type: 'post.created',
    data: { postId, authorActorId, appId: 'app', text, audience: 'public', mentions: [], at: 1 },
  };
}

/** A log on an event store and a vault of its own, which tests can stop and restart. */
export class LogBench {
  private constructor(
    private readonly postgres: TestPostgres,
    readonly vaultUrl: string,
    readonly vaultDatabase: Client,
    public store: EmbeddedEventStore,
    private readonly opened: OpenLog,
  ) {}

  static async open(): Promise<LogBench> {
    const [store, postgres] = await Promise.all([startEmbeddedEventStore(), startTestPostgres()]);
    const vaultUrl = await postgres.createDatabase();
    const opened = await openAt(store.url, vaultUrl);
    const vaultDatabase = new Client({ connectionString: vaultUrl });
    await vaultDatabase.connect();
    return new LogBench(postgres, vaultUrl, vaultDatabase, store, opened);
  }

  get log(): EventLog {
    return this.opened.log;
  }

  get vault(): KeyVault {
    return this.opened.vault;
  }

  /** Another client of the same log, optionally through another address. */
  openAnother(eventStoreUrl = this.store.url): Promise<OpenLog> {
    return openAt(eventStoreUrl, this.vaultUrl);
  }

  /** Restarts the killed event store. */
  async restartStore(): Promise<void> {
    this.store = await startEmbeddedEventStore({ dir: this.store.dir, port: this.store.port });
  }

  appendPost(author: string, text: string, postId?: string, log = this.log): Promise<AppendedPost> {
    return appendPost(log, author, text, postId);
  }

  subscribeUntil(...given: Tail<Parameters<typeof subscribeUntil>>): Promise<Batch['events']> {
    return subscribeUntil(this.log, ...given);
  }

  async close(): Promise<void> {
    await this.opened.close();
    await this.vaultDatabase.end();
    await Promise.all([this.store.stop(), this.postgres.stop()]);
  }
}

export async function appendPost(
  log: EventLog,
  author: string,
  text: string,
  postId = newId(),
): Promise<AppendedPost> {
  const id = randomUUID();
  const stream = `post-${postId}`;
  const events = [{ id, event: post(postId, author, text) }];
  const appended = await log.append({ stream, expected: 'no_stream', events, metadata });
  return { ...appended, id, stream, postId };
}

/** The events after a checkpoint, until `enough` returns true. */
export async function subscribeUntil(
  log: EventLog,
  after: Checkpoint | undefined,
  enough: (batch: Batch, seen: Batch['events']) => boolean,
  options: Partial<SubscribeOptions> = {},
): Promise<Batch['events']> {
  const { signal } = new AbortController();
  const seen: Batch['events'][number][] = [];
  const types = ['post.created', 'post.deleted'] as const;
  for await (const batch of log.subscribe({ after, types, batchSize: 10, signal, ...options })) {
    seen.push(...batch.events);
    if (enough(batch, seen)) break;
  }
  return seen;
}

type Tail<Given extends readonly unknown[]> = Given extends [unknown, ...infer Rest] ? Rest : never;

interface AppendedPost extends AppendedEvents {
  readonly id: string;
  readonly stream: string;
  readonly postId: string;
}

const openAt = (eventStoreUrl: string, vaultDatabaseUrl: string): Promise<OpenLog> =>
  openLog({ eventStoreUrl, vaultDatabaseUrl, applicationName: 'log-test' });
