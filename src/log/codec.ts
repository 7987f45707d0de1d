import { jsonEvent } from '@eventstore/db-client';
import type { EventData, RecordedEvent } from '@eventstore/db-client';
import { Refusal } from '../domain/refusal.js';
import { UnreadableEvent } from './event-log.js';
import type { Append, UndecodedEvent } from './event-log.js';
import type { EventMetadata, Recorded } from './recorded.js';
import { registryEntryOf } from './registry.js';
import type { RegistryEntry, StoredEvent } from './registry.js';
import { upcast } from './upcast.js';
import { decrypt, encrypt } from './encryption.js';
import type { Encrypted } from './encryption.js';
import type { KeyVault, PersonKey } from './vault/key-vault.js';

type Json = Record<string, unknown>;
type Keys = ReadonlyMap<string, PersonKey | undefined>;
type StoredMetadata = EventMetadata & { readonly schemaVersion: number };

export interface DecodedEvents {
  readonly events: readonly Recorded[];
  readonly failure?: UnreadableEvent;
}

export class Codec {
  constructor(
    private readonly vault: Pick<KeyVault, 'keyOf' | 'keysById'>,
    private readonly randomBytes: (length: number) => Buffer,
  ) {}

  async encode(append: Append): Promise<EventData[]> {
    return Promise.all(
      append.events.map(async ({ id, event, metadata = append.metadata }) => {
        assertStorable(metadata);
        const entry = requireEntry(event.type);
        const data = { ...entry.schema.parse(event.data) } as Json;
        assertStorable(data);
        if (entry.personal) {
          const personal: Json = {};
          for (const field of Object.keys(entry.personal.placeholders)) {
            personal[field] = data[field];
            delete data[field];
          }
          const key = await this.vault.keyOf(entry.personal.person(event.data));
          data['sealed'] = encrypt(
            key,
            JSON.stringify(personal),
            additionalDataFor(id, event.type),
            this.randomBytes(12),
          );
        }
        return jsonEvent({
          id,
          type: event.type,
          data,
          metadata: { ...metadata, schemaVersion: entry.version },
        });
      }),
    );
  }

  async decode(stored: readonly RecordedEvent[]): Promise<DecodedEvents> {
    const keys = await this.vault.keysById(stored.flatMap((event) => encryptedFieldsOf(event)?.keyId ?? []));
    const events: Recorded[] = [];
    for (const event of stored) {
      try {
        events.push(decodeOne(event, keys));
      } catch (cause) {
        const reason = cause instanceof Error ? cause.message : String(cause);
        const name = `${event.type} ${event.id} at ${event.revision}@${event.streamId}`;
        const place = { id: event.id, position: event.position?.commit };
        return { events, failure: new UnreadableEvent(`${name}: ${reason}`, place, { cause }) };
      }
    }
    return { events };
  }
}

function decodeOne(stored: RecordedEvent, keys: Keys): Recorded {
  const { entry, schemaVersion, metadata, plain, encrypted } = partsOf(stored);
  if (encrypted && !keys.has(encrypted.keyId))
    throw new Error(
      `the vault never had the key ${encrypted.keyId} of this event, so its personal fields cannot be read`,
    );
  const key = encrypted && keys.get(encrypted.keyId);
  const erased = encrypted !== undefined && key === undefined;
  let data: Json = plain;
  if (encrypted && key)
    data = { ...plain, ...JSON.parse(decrypt(key, encrypted, additionalDataFor(stored.id, stored.type))) };
  data = upcast(entry, schemaVersion, data);
  if (erased) data = { ...data, ...entry.personal?.placeholders };
  return {
    id: stored.id,
    stream: stored.streamId,
    revision: stored.revision,
    position: stored.position?.commit ?? noPosition(),
    event: { type: stored.type, data: entry.schema.parse(data) } as StoredEvent,
    metadata,
    erased,
  };
}

export interface WithoutKeys {
  readonly event: StoredEvent;
  readonly metadata: EventMetadata;
  readonly encrypted: Encrypted | undefined;
}

/**
 * Decodes an event as if the key of its person were destroyed: personal fields hold the placeholders of the registry.
 * @throws {Error} this release does not know the type or its version, or the event is invalid.
 */
export function decodeWithoutKeys(stored: Pick<UndecodedEvent, 'type' | 'data' | 'metadata'>): WithoutKeys {
  const { entry, schemaVersion, metadata, plain, encrypted } = partsOf(stored);
  const data = { ...upcast(entry, schemaVersion, plain), ...entry.personal?.placeholders };
  return { event: { type: stored.type, data: entry.schema.parse(data) } as StoredEvent, metadata, encrypted };
}

function partsOf(stored: Pick<UndecodedEvent, 'type' | 'data' | 'metadata'>) {
  const entry = requireEntry(stored.type);
  const { schemaVersion, ...metadata } = metadataOf(stored);
  const { sealed: _sealed, ...plain } = stored.data as Json;
  const encrypted = encryptedFieldsOf(stored);
  assertFieldsEncrypted(entry, encrypted, plain);
  return { entry, schemaVersion, metadata, plain, encrypted };
}

/** @throws {Error} the event has no metadata, or that of another program. */
function metadataOf({ metadata }: Pick<UndecodedEvent, 'metadata'>): StoredMetadata {
  const { schemaVersion } = (metadata ?? {}) as Partial<StoredMetadata>;
  if (Number.isInteger(schemaVersion)) return metadata as StoredMetadata;
  throw new Error(
    'it has no metadata of Plaza, so another program wrote it into a stream of Plaza: stop that program, then follow docs/recovery.md, "A projection stands still"',
  );
}

/**
 * Throws if a personal field of this event is stored as readable text. Otherwise a writer with access to the log, but
 * not to the vault, could forge texts of any person.
 */
function assertFieldsEncrypted(
  { personal }: RegistryEntry,
  encrypted: Encrypted | undefined,
  plain: Json,
): void {
  if (!personal) return;
  const readable = Object.keys(personal.placeholders).filter((field) => Object.hasOwn(plain, field));
  if (encrypted === undefined || readable.length > 0)
    throw new Error(`its personal fields are not encrypted (${readable.join(', ') || 'all are missing'})`);
}

/**
 * Throws if a text has a null character or a lone surrogate: Postgres cannot store it, so its event would stop every
 * projection.
 * @throws {Refusal}
 */
export function assertStorable(value: unknown): void {
  if (typeof value === 'string') {
    if (!value.isWellFormed() || value.includes('\0'))
      throw new Refusal('invalid_text', 'Text must be well-formed Unicode without null characters.');
  } else if (typeof value === 'object' && value !== null) {
    for (const part of Object.values(value)) assertStorable(part);
  }
}

const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/**
 * Returns the encrypted fields of an event; undefined: it has none. Checks only their form, because this runs for
 * every event read: if the ciphertext is malformed, its decryption fails.
 */
function encryptedFieldsOf({ data }: Pick<UndecodedEvent, 'data'>): Encrypted | undefined {
  const { sealed } = data as { readonly sealed?: Partial<Encrypted> | null };
  const { keyId, box } = sealed ?? {};
  return typeof keyId === 'string' && typeof box === 'string' && uuid.test(keyId)
    ? { keyId, box }
    : undefined;
}

function requireEntry(type: string) {
  const entry = registryEntryOf(type);
  if (!entry) throw new Error(`events of type ${type} are unknown to this release: run one that knows them`);
  return entry;
}

export const additionalDataFor = (eventId: string, type: string): string => `${eventId} ${type}`;

export function noPosition(): never {
  throw new Error(
    'the event store sent an event without its position: upgrade it to EventStoreDB 22.6 or newer',
  );
}
