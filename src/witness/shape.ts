import { entryOf, upcast } from '../log/registry.js';
import type { RestrictionEvent } from '../log/restrictions.js';
import { restrictionHash } from './canonical.js';
import type { Restriction, Witnessed } from './witness.js';

/** As it is put down, and stays: with the version of its event's shape, as in the log. */
export interface Dated extends Restriction {
  readonly version: number;
}

export const dated = (restriction: Restriction): Dated => ({
  ...restriction,
  version: entryFor(restriction.event.type).version,
});

/**
 * What the ledger has in the newest shape of its event, as the log's codec reads events: so it is compared with what is in the log,
 * and appended. Throws for a shape that this code does not know.
 */
export function inNewestShape(
  witnessed: Witnessed,
  entry: Parameters<typeof upcast>[0] = entryFor(witnessed.restriction.event.type),
): Witnessed {
  // The first ledgers say nothing of it, and have only first shapes.
  const { version = 1, ...restriction } = witnessed.restriction as Restriction & Partial<Dated>;
  if (version === entry.version) return { ...witnessed, restriction };
  const { type, data } = restriction.event;
  const event = { type, data: upcast(entry, version, { ...data }) } as unknown as RestrictionEvent;
  const lifted = { ...restriction, event };
  return { ...witnessed, hash: restrictionHash(lifted), restriction: lifted };
}

function entryFor(type: string) {
  const entry = entryOf(type);
  if (!entry) throw new Error(`restrictions of type ${type} are unknown here`);
  return entry;
}
