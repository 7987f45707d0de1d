import { createHmac } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { decodeWithoutKeys } from '../../log/codec.js';
import type { UndecodedEvent } from '../../log/event-log.js';
import { personalFieldsOf, registryEntryOf, treatmentsOf } from '../../log/registry.js';
import type { EventType } from '../../log/registry.js';
import { Failure } from '../../base/terminal/failure.js';
import { fieldColumns, operatorColumn } from './columns.js';
import type { Contents } from './columns.js';
import { idsOfCause, metadataColumns } from './metadata.js';

export type Value = string | bigint | boolean | undefined;

export interface Row {
  /** Unix milliseconds. */
  readonly at: number;
  readonly values: Readonly<Record<string, Value>>;
}

export interface ApplicationName {
  readonly appId: string;
  readonly name: string;
  readonly position: number;
}

type Json = Readonly<Record<string, unknown>>;

const REMEMBERED_IDS = 100_000;
const PSEUDONYM_BYTES = 16;
/** End of the year 9999. */
const MAX_TIME_MS = 253_402_300_799_999;

const exportedMetadata = Object.entries(metadataColumns).flatMap(([field, column]) =>
  typeof column === 'string' ? [] : [[field, column] as const],
);

export class RowMaker {
  private readonly pseudonyms = new LRUCache<string, string>({ max: REMEMBERED_IDS });

  constructor(
    private readonly key: Buffer,
    private readonly contents: Contents,
  ) {}

  /** @throws {Failure} this release cannot export the event. */
  rowOf(stored: UndecodedEvent): Row {
    const isKnown = registryEntryOf(stored.type) !== undefined;
    const decoded = isKnown ? decodedOf(stored) : unknownOf(stored);
    const { metadata, data } = decoded;
    const at = isTime(data['at']) ? data['at'] : stored.storedAt;
    const values: Record<string, Value> = {
      position: stored.position,
      event_id: stored.id,
      type: stored.type,
      occurred_at: BigInt(at) * 1_000n,
      by_operator: metadata['operatorId'] !== undefined || metadata['operator'] !== undefined,
    };
    for (const [field, { treatment, column }] of exportedMetadata) {
      const value = metadata[field];
      if (typeof value === 'string') values[column] = treatment === 'id' ? this.pseudonymOf(value) : value;
    }
    if (typeof metadata['cause'] === 'string')
      for (const [column, id] of Object.entries(idsOfCause(metadata['cause'])))
        if (id !== undefined) values[column] = this.pseudonymOf(id);
    if (isKnown) this.addFields(values, stored.type as EventType, data);
    else values['data'] = JSON.stringify(data);
    if (this.contents.operators === true && metadata['operatorId'] !== undefined)
      values[operatorColumn.name] = this.pseudonymOf(metadata['operatorId']);
    if (this.contents.personal === 'encrypted' && decoded.encrypted)
      values['personal'] = JSON.stringify(decoded.encrypted);
    return { at, values };
  }

  private pseudonymOf(id: unknown): string | undefined {
    if (typeof id !== 'string') return undefined;
    const known = this.pseudonyms.get(id);
    if (known !== undefined) return known;
    const pseudonym = pseudonymOf(this.key, id);
    this.pseudonyms.set(id, pseudonym);
    return pseudonym;
  }

  private addFields(values: Record<string, Value>, type: EventType, data: Json): void {
    const personal = personalFieldsOf(type);
    const rest: Record<string, unknown> = {};
    for (const [field, treatment] of Object.entries(treatmentsOf(type))) {
      const value = data[field];
      if (value === undefined || treatment === 'omit' || personal.includes(field)) continue;
      const column = fieldColumns[field]?.name ?? field;
      if (treatment === 'id') values[column] = this.pseudonymOf(value);
      else if (treatment === 'data') rest[field] = value;
      else values[column] = typeof value === 'number' ? BigInt(value) : (value as string);
    }
    if (Object.keys(rest).length > 0) values['data'] = JSON.stringify(rest);
  }
}

export function pseudonymOf(key: Buffer, id: string): string {
  const digest = createHmac('sha256', key).update(id).digest().subarray(0, PSEUDONYM_BYTES);
  return digest.toString('base64url');
}

interface Decoded {
  readonly data: Json;
  readonly metadata: Json;
  readonly encrypted?: object | undefined;
}

function decodedOf(stored: UndecodedEvent): Decoded {
  try {
    const { event, metadata, encrypted } = decodeWithoutKeys(stored);
    return { data: { ...event.data }, metadata: { ...metadata }, encrypted };
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new Failure(`${placeOf(stored)} cannot be exported: ${reason}`, { cause });
  }
}

/** An event of a later release is exported as it is, unless it has encrypted fields. */
function unknownOf(stored: UndecodedEvent): Decoded {
  const { data, metadata } = stored;
  if (!isObject(data) || !isObject(metadata ?? {}))
    throw new Failure(`${placeOf(stored)} cannot be exported: its data is not a JSON object`);
  if (Object.hasOwn(data, 'sealed'))
    throw new Failure(
      `${placeOf(stored)} cannot be exported: this release does not know the type, and the event has encrypted fields; export with a release that knows it`,
    );
  return { data, metadata: (metadata ?? {}) as Json };
}

export function applicationNameOf({ type, data, position }: UndecodedEvent): ApplicationName | undefined {
  if (type !== 'application.registered' && type !== 'application.changed') return undefined;
  const { appId, name } = data as { readonly appId: string; readonly name: string };
  return { appId, name, position: Number(position) };
}

const placeOf = ({ type, id, position }: UndecodedEvent) => `event ${id} of type ${type} at ${position}`;

const isObject = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof Uint8Array);

const isTime = (value: unknown): value is number =>
  Number.isInteger(value) && (value as number) >= 0 && (value as number) <= MAX_TIME_MS;
