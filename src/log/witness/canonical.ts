import { createHash } from 'node:crypto';
import type { Restriction } from './witness.js';

/** Deterministic JSON: members sorted by name, undefined ones omitted. */
export function canonicalJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const members = Object.entries(value)
    .filter(([, member]) => member !== undefined)
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, member]) => `${JSON.stringify(name)}:${canonicalJson(member)}`);
  return `{${members.join(',')}}`;
}

export const sha256 = (...parts: readonly (string | Buffer)[]): Buffer =>
  parts.reduce((hash, part) => hash.update(part), createHash('sha256')).digest();

/**
 * @returns SHA-256 of the restriction and its author, without time and grant: the same for every attempt of an intent,
 * even after a new sign-in.
 */
export function restrictionHash({ stream, event, metadata }: Omit<Restriction, 'id'>): Buffer {
  const { at: _when, ...data } = event.data;
  const { actorId, appId, intentId, payloadHash, operator, operatorId, reason } = metadata;
  // An undefined member is omitted, so restrictions from before `operatorId` keep their hashes.
  const by = { actorId, appId, intentId, payloadHash, operator, operatorId, reason };
  return sha256(canonicalJson({ stream, type: event.type, data, by }));
}
