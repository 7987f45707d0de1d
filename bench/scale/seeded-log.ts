import { createHash, createSecretKey, randomBytes, randomUUID } from 'node:crypto';
import { cpSync, existsSync, mkdirSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { ANY, openStore } from '@plaza/event-store/testing';
import type { Store } from '@plaza/event-store/testing';
import { pino } from 'pino';
import { derivedUuid } from '../../src/base/support/derived-uuid.js';
import { startPostgres } from '../../src/launch/embedded-postgres.js';
import { Codec } from '../../src/log/codec.js';
import { openVaultDatabase } from '../../src/log/open-log.js';
import type { PersonKey } from '../../src/log/vault/key-vault.js';
import { eventsOf } from './events.js';
import type { SeededEvent } from './events.js';
import { peopleOf } from './society.js';
import type { Extent } from './society.js';

const BATCH = 1_000;
const LOG = pino({ level: 'warn' }, pino.destination({ fd: 2, sync: true }));

/** A key is derived from its person, so that each network which gets the log can have it. */
const keyOf = (person: string) => ({
  id: derivedUuid(`key ${person}`),
  key: createHash('sha256').update(person).digest(),
});

/**
 * Returns the directory of the log of this extent, and writes the log at the first call. Events go through the codec
 * into a store in this process, whose clock shows the time of each event.
 */
export async function seededLog(dir: string, extent: Extent): Promise<string> {
  const kept = join(dir, `${extent.posts}-posts-of-${extent.actors}`);
  if (existsSync(kept)) return kept;
  const unfinished = `${kept}.new`;
  rmSync(unfinished, { recursive: true, force: true });
  mkdirSync(dir, { recursive: true });
  let now = 0;
  const store = await openStore({
    dir: unfinished,
    fsync: false,
    log: (level, message, fields) => LOG[level](fields, message),
    now: () => ({ getTime: () => now }),
    newId: randomUUID,
  });
  const codec = codecWithKeys();
  for (const batch of batchesOf(eventsOf(extent, Date.now()))) {
    const encoded = await Promise.all(batch.map((seeded) => encode(codec, seeded)));
    const appends = batch.map(({ stream, event }, n) => {
      now = event.data.at;
      return store.append(stream, ANY, encoded[n] ?? []);
    });
    for (const { kind } of await Promise.all(appends))
      if (kind !== 'appended') throw new Error(`a seeded event was not appended: ${kind}`);
  }
  await store.close();
  renameSync(unfinished, kept);
  return kept;
}

function codecWithKeys(): Codec {
  const keys = new Map<string, PersonKey>();
  const found = (person: string): PersonKey => {
    const { id, key } = keyOf(person);
    const made = { id, key: createSecretKey(key) };
    keys.set(person, made);
    return made;
  };
  const vault = {
    keyOf: (person: string) => Promise.resolve(keys.get(person) ?? found(person)),
    keysById: () => Promise.resolve(new Map()),
  };
  return new Codec(vault, randomBytes);
}

type Proposed = Parameters<Store['append']>[2];

async function encode(codec: Codec, { stream, event, metadata }: SeededEvent): Promise<Proposed> {
  const events = await codec.encode({
    stream,
    expected: 'no_stream',
    events: [{ id: randomUUID(), event }],
    metadata,
  });
  return events.map(({ id, type, data, metadata: stored }) => ({
    id,
    type,
    isJson: true,
    data: Buffer.from(JSON.stringify(data)),
    metadata: Buffer.from(JSON.stringify(stored)),
  }));
}

function* batchesOf(events: Iterable<SeededEvent>): Generator<readonly SeededEvent[]> {
  let batch: SeededEvent[] = [];
  for (const event of events) {
    batch.push(event);
    if (batch.length < BATCH) continue;
    yield batch;
    batch = [];
  }
  yield batch;
}

/** Gives a network that was never started a copy of the log, and its people their keys. */
export async function fillDataDir(dataDir: string, log: string, extent: Extent): Promise<void> {
  cpSync(log, join(dataDir, 'eventstore'), { recursive: true });
  const postgres = await startPostgres({ dataDir, log: LOG });
  try {
    const vault = await openVaultDatabase({
      url: postgres.vaultDatabaseUrl,
      applicationName: 'bench',
      maxConnections: 1,
    });
    const people = peopleOf(extent);
    const keys = people.map(keyOf);
    await vault.pool.query(
      'INSERT INTO person_key (person_id, key_id, key) SELECT * FROM unnest($1::text[], $2::uuid[], $3::bytea[])',
      [people, keys.map(({ id }) => id), keys.map(({ key }) => key)],
    );
    await vault.close();
  } finally {
    await postgres.stop();
  }
}
