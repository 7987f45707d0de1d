import { canonicalJson, restrictionHash, sha256 } from './canonical.js';
import { withVersion, toNewestShape } from './shape.js';
import { WitnessMismatch } from './witness.js';
import type { RestrictionPlace, AppendProof, Restriction, WitnessedRestriction } from './witness.js';

export type LedgerRequest =
  | { readonly verb: 'prepare'; readonly restriction: Restriction }
  | ({ readonly verb: 'accept' | 'move'; readonly id: string } & AppendProof)
  | { readonly verb: 'finalize' | 'withdraw'; readonly id: string }
  | {
      readonly verb: 'reseed';
      readonly restriction: Restriction;
      readonly place: RestrictionPlace;
    };

/** A step that one line of the ledger records. The line has these names and values as text, so none may be renamed. */
export type LedgerStep =
  | { readonly step: 'prepared'; readonly epoch: bigint; readonly restriction: Restriction }
  | { readonly step: 'accepted' | 'moved'; readonly id: string; readonly position: bigint }
  | { readonly step: 'finalized' | 'withdrawn'; readonly id: string }
  | {
      readonly step: 'reseeded';
      readonly epoch: bigint;
      readonly restriction: Restriction;
      readonly position: bigint;
    };

/** The last line of the ledger. `epoch`: the greatest one assigned. */
export interface LedgerHead {
  readonly line: bigint;
  readonly hash: Buffer;
  readonly epoch: bigint;
}

export interface LedgerLine {
  readonly line: bigint;
  readonly hash: Buffer;
  readonly text: string;
}

export const emptyLedger: LedgerHead = { line: 0n, hash: Buffer.alloc(32), epoch: 0n };

/**
 * @returns The step that a command adds to the ledger; undefined: none is needed. `known`: the restriction under that
 * id. `isTaken`: another restriction has the epoch to reseed.
 * @throws {WitnessMismatch}
 */
export function decide(
  known: WitnessedRestriction | undefined,
  ask: LedgerRequest,
  head: LedgerHead,
  isTaken: (epoch: bigint) => boolean,
): LedgerStep | undefined {
  switch (ask.verb) {
    case 'prepare': {
      if (!known)
        return { step: 'prepared', epoch: head.epoch + 1n, restriction: withVersion(ask.restriction) };
      requireHash(known, restrictionHash(ask.restriction), 'prepare');
      const { epoch, restriction } = known;
      return known.state === 'withdrawn' ? { step: 'prepared', epoch, restriction } : undefined;
    }
    case 'accept':
    case 'move': {
      const existing = require(known, ask.id);
      requireHash(existing, ask.hash, 'accept');
      const { id, position } = ask;
      if (ask.verb === 'move')
        return existing.state === 'finalized' && existing.position === position
          ? undefined
          : { step: 'moved', id, position };
      if (existing.state === 'prepared' || existing.state === 'withdrawn')
        return { step: 'accepted', id, position };
      if (existing.position === position) return undefined;
      const message = `Restriction ${id} was accepted at position ${existing.position}, and is at ${position} now.`;
      throw new WitnessMismatch('accept', message);
    }
    case 'finalize': {
      const { state } = require(known, ask.id);
      if (state === 'finalized') return undefined;
      if (state === 'accepted') return { step: 'finalized', id: ask.id };
      throw new WitnessMismatch(
        'accept',
        `Restriction ${ask.id} is ${state}: only accepted ones are finalized.`,
      );
    }
    case 'withdraw':
      return known?.state === 'prepared' ? { step: 'withdrawn', id: ask.id } : undefined;
    case 'reseed': {
      const { restriction, place } = ask;
      if (known) requireHash(known, restrictionHash(restriction), 'accept');
      const inLog = place.epoch === undefined || isTaken(place.epoch) ? undefined : place.epoch;
      const preferred = known?.epoch ?? inLog ?? 0n;
      const epoch = preferred > place.after ? preferred : head.epoch + 1n;
      const { position } = place;
      if (known?.state === 'finalized' && known.position === position && known.epoch === epoch)
        return undefined;
      return {
        step: 'reseeded',
        epoch,
        restriction: known?.restriction ?? withVersion(restriction),
        position,
      };
    }
  }
}

export function evolve(
  known: WitnessedRestriction | undefined,
  step: LedgerStep,
  at: number,
): WitnessedRestriction {
  switch (step.step) {
    case 'prepared':
      return known
        ? { ...known, state: 'prepared', position: undefined }
        : newRestriction(step, 'prepared', undefined, at);
    case 'reseeded':
      return known
        ? { ...known, epoch: step.epoch, state: 'finalized', position: step.position }
        : newRestriction(step, 'finalized', step.position, at);
    case 'accepted':
      return { ...require(known, step.id), state: 'accepted', position: step.position };
    case 'moved':
      return { ...require(known, step.id), state: 'finalized', position: step.position };
    case 'finalized':
    case 'withdrawn':
      return { ...require(known, step.id), state: step.step };
  }
}

export function nextLine(head: LedgerHead, step: LedgerStep, at: number): LedgerLine & LedgerHead {
  const line = head.line + 1n;
  const text = canonicalJson({ line: String(line), at, ...serialized(step) });
  const epoch = 'epoch' in step && step.epoch > head.epoch ? step.epoch : head.epoch;
  return { line, text, hash: hashOf(head.hash, text), epoch };
}

export const hashOf = (previous: Buffer, text: string): Buffer => sha256(previous, text);

export const restrictionIdOf = (about: LedgerRequest | LedgerStep): string =>
  'restriction' in about ? about.restriction.id : about.id;

function newRestriction(
  { epoch, restriction }: { readonly epoch: bigint; readonly restriction: Restriction },
  state: WitnessedRestriction['state'],
  position: bigint | undefined,
  preparedAt: number,
): WitnessedRestriction {
  return { epoch, state, hash: restrictionHash(restriction), position, preparedAt, restriction };
}

const serialized = (step: LedgerStep) => ({
  ...step,
  ...('epoch' in step && { epoch: String(step.epoch) }),
  ...('position' in step && { position: String(step.position) }),
});

function require(known: WitnessedRestriction | undefined, id: string): WitnessedRestriction {
  if (known) return known;
  throw new WitnessMismatch('accept', `The witness knows nothing of restriction ${id}.`);
}

function requireHash(known: WitnessedRestriction, hash: Buffer, step: WitnessMismatch['step']): void {
  if (toNewestShape(known).hash.equals(hash)) return;
  const { id, event } = known.restriction;
  throw new WitnessMismatch(step, `The witness has restriction ${id} (${event.type}) with other content.`);
}
