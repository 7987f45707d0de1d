import { setTimeout as pause } from 'node:timers/promises';
import { BUSY } from '../../src/server/overload-refusals.js';
import type { Act, Person } from './person.js';

/** Answers since the last sample. */
export class Answers {
  /** From the time at which each request was due, by kind. */
  readonly latencyMs: Record<string, number[]> = {};
  /** By kind, status and code. */
  readonly errors: Record<string, number> = {};
  shed = 0;

  served(kind: string, ms: number): void {
    (this.latencyMs[kind] ??= []).push(ms);
  }

  failed(error: string): void {
    this.errors[error] = (this.errors[error] ?? 0) + 1;
  }
}

interface Offer {
  readonly baseUrl: string;
  readonly people: readonly Person[];
  readonly perSecond: number;
  readonly over: AbortSignal;
  /** Receives the answers at this moment. */
  readonly answers: () => Answers;
}

/** Sends each request when it is due, by whoever has waited longest: an open loop, until `over` and all are answered. */
export async function offer({ baseUrl, people, perSecond, over, answers }: Offer): Promise<void> {
  const free = [...people];
  const open = new Set<Promise<void>>();
  const begun = performance.now();
  for (let sent = 0; !over.aborted;) {
    const due = begun + (sent / perSecond) * 1_000;
    const person = performance.now() >= due ? free.shift() : undefined;
    if (!person) {
      await pause(1);
      continue;
    }
    sent += 1;
    const asking = ask(baseUrl, person.next(), due, answers).finally(() => {
      free.push(person);
      open.delete(asking);
    });
    open.add(asking);
  }
  await Promise.all(open);
}

async function ask(baseUrl: string, act: Act, due: number, answers: () => Answers): Promise<void> {
  const { path, ...request } = act.sending;
  let response: Response;
  let text: string;
  try {
    response = await fetch(baseUrl + path, request);
    text = await response.text();
  } catch (error) {
    answers().failed(`${act.kind}: no answer (${String((error as Error).cause ?? error)})`);
    return;
  }
  if (response.status === 200) {
    answers().served(act.kind, performance.now() - due);
    act.took(text);
  } else if (response.status === 503 && text.includes(BUSY)) answers().shed += 1;
  else answers().failed(`${act.kind}: ${response.status} ${text.slice(0, 200)}`);
}
