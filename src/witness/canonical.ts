import { createHash } from 'node:crypto';
import type { Restriction } from './witness.js';

/** One text for one value, whatever order its members were put in: members sorted by name, absent ones left out. */
export function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const members = Object.entries(value)
    .filter(([, member]) => member !== undefined)
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, member]) => `${JSON.stringify(name)}:${canonical(member)}`);
  return `{${members.join(',')}}`;
}

export const sha256 = (...parts: readonly (string | Buffer)[]): Buffer =>
  parts.reduce((hash, part) => hash.update(part), createHash('sha256')).digest();

/**
 * What was asked for, by whom and through what: the same for every try of it, whenever and wherever it comes from, and
 * under whichever of the actor's grants: whoever signed in anew repeats the same intent. 32 bytes.
 */
export function restrictionHash({ stream, event, metadata }: Omit<Restriction, 'id'>): Buffer {
  const { at: _when, ...data } = event.data;
  const { actorId, appId, intentId, payloadHash, operator, reason } = metadata;
  const by = { actorId, appId, intentId, payloadHash, operator, reason };
  return sha256(canonical({ stream, type: event.type, data, by }));
}
