import type { ClientBase } from 'pg';
import { LogReplaced, UnreadableEvent } from '../log/event-log.js';
import type { Checkpoint, EventLog } from '../log/event-log.js';
import type { StoredEvent } from '../log/registry.js';
import { quarantine } from './incarnation.js';
import { networkOf } from './network.js';
import { originOf, readRecoveryState } from './recovery-state.js';

/** What is published, as far as it says which log it came from. */
export interface Origin {
  readonly networkId: string;
  /** The newest event that was applied; undefined: none. */
  readonly checkpoint: Checkpoint | undefined;
}

/**
 * Why this cannot be the log that the read models came from, in words for an operator (recovery.md, "When does quarantine
 * begin"). Undefined: it is; being behind it is no fault. `types`: any that the log has many of, since the proof comes
 * with the first that follows. Rejects as soon as `signal` aborts. @throws {LogUnavailable}
 */
export async function setBackOf(
  log: EventLog,
  { networkId, checkpoint }: Origin,
  types: readonly StoredEvent['type'][],
  signal: AbortSignal,
): Promise<string | undefined> {
  const found = await networkOf(log);
  if (found !== networkId)
    return `The log ${found === undefined ? 'has no network' : `is that of network ${found}`}; what is published shows network ${networkId}.`;
  if (!checkpoint) return undefined;
  const { position, eventId } = checkpoint;
  const head = await log.head();
  if (head === undefined || head < position)
    return `The log was set back: it ends at position ${head ?? 'none'}, while what is published shows it up to position ${position}, event ${eventId}.`;
  try {
    for await (const _ of log.subscribe({ after: checkpoint, types, batchSize: 1, signal })) break;
    signal.throwIfAborted();
    return undefined;
  } catch (error) {
    // What follows the checkpoint is no matter of this proof: whoever has to apply it says what is wrong with it.
    if (error instanceof UnreadableEvent) return undefined;
    if (!(error instanceof LogReplaced)) throw error;
    return `The log was set back and written on, or replaced: at position ${position} it has another event than ${eventId}, which what is published shows. ${error.message}`;
  }
}

/** Puts what is published into quarantine if this cannot be the log that it came from. @throws {LogUnavailable} */
export async function quarantineSetBack(
  client: ClientBase,
  log: EventLog,
  types: readonly StoredEvent['type'][],
  signal: AbortSignal,
): Promise<void> {
  const state = await readRecoveryState(client);
  if (!state) return;
  const reason = await setBackOf(log, originOf(state), types, signal);
  if (reason !== undefined) await quarantine(client, state.incarnation, reason);
}
