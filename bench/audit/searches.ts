import { randomUUID } from 'node:crypto';
import type { Recorded } from '../../src/log/recorded.js';
import { eventTypes } from '../../src/log/registry.js';
import type { Random } from './random.js';

const MISSES = 0.2;
const HOUR_MS = 60 * 60_000;

/** A search of one to three terms and, for half of them, a window. Each value is drawn from another event. */
export function randomSearch(sample: readonly Recorded[], random: Random): string {
  const names = new Set<Name>();
  for (let n = 1 + random.below(3); n > 0; n--) names.add(random.of(termNames));
  const terms = [...names].map((name) => `${name}:${valueOf(name, sample, random)}`);
  const before = Date.now() - random.below(13 * 24) * HOUR_MS;
  const time = (at: number) => new Date(at).toISOString();
  if (random.chance(0.5)) terms.push(`since:${time(before - (1 + random.below(48)) * HOUR_MS)}`);
  if (random.chance(0.25)) terms.push(`until:${time(before)}`);
  return terms.join(' ');
}

const termNames = [
  'actor',
  'app',
  'grant',
  'post',
  'operator',
  'type',
  '-type',
  'request',
  'intent',
] as const;
type Name = (typeof termNames)[number];

function valueOf(name: Name, sample: readonly Recorded[], random: Random): string {
  if (name === 'type' || name === '-type') return eventTypes[random.below(eventTypes.length)] ?? '';
  if (!random.chance(MISSES))
    // Most events have no operator, for example.
    for (let tries = 0; tries < 1_000; tries++) {
      const value = valueIn(name, sample[random.below(sample.length)]);
      if (value !== undefined) return value;
    }
  return randomUUID();
}

function valueIn(name: Exclude<Name, 'type' | '-type'>, recorded: Recorded | undefined): string | undefined {
  if (!recorded) return undefined;
  const { event, metadata } = recorded;
  switch (name) {
    case 'actor':
      return metadata.actorId;
    case 'app':
      return metadata.appId;
    case 'grant':
      return metadata.grantId;
    case 'post':
      return 'postId' in event.data ? event.data.postId : undefined;
    case 'operator':
      return metadata.operator;
    case 'request':
      return metadata.clientRequestId;
    case 'intent':
      return metadata.intentId;
  }
}
