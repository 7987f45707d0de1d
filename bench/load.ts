import autocannon from 'autocannon';
import { cpuMsOf } from './cpu.js';

/** One request; the body is form-encoded. */
export interface Sending {
  readonly path: string;
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
}

export interface Target {
  readonly url: string;
  readonly pid: number;
}

export interface Connection {
  readonly first: Sending;
  /** Undefined repeats the last request. */
  next?(answer: string): Sending | undefined;
}

export interface Measured {
  readonly perSecond: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly cpuMs: number;
}

/**
 * Sends `amount` requests. Each connection sends its next one after a response.
 * @throws {Error} a response has another status than `status`
 */
export async function load(
  { url, pid }: Target,
  connections: readonly Connection[],
  amount: number,
  status: number,
): Promise<Measured> {
  const waiting = [...connections];
  const surprises: string[] = [];
  let answeredAt = 0;
  const setupClient = (client: autocannon.Client): void => {
    const connection = waiting.pop();
    if (!connection) throw new Error('more connections than were prepared');
    let answer = '';
    client.setRequests([asRequest(connection.first)]);
    client.on('body', (part) => (answer += part.toString()));
    client.on('response', (got) => {
      answeredAt = performance.now();
      if (got !== status) surprises.push(`${got} ${answer}`);
      const next = connection.next?.(answer);
      answer = '';
      if (next) client.setRequests([asRequest(next)]);
    });
  };
  const [begun, cpu] = [performance.now(), cpuMsOf(pid)];
  const { latency, errors } = await autocannon({ url, connections: connections.length, amount, setupClient });
  // autocannon ends at a whole second, so the last response's time counts
  const [ms, cpuMs] = [answeredAt - begun, cpuMsOf(pid) - cpu];
  if (surprises.length > 0 || errors > 0)
    throw new Error(`${surprises.length} surprises, ${errors} errors; the first: ${surprises[0]}`);
  return {
    perSecond: Math.round((amount / ms) * 1000),
    p50Ms: latency.p50,
    p99Ms: latency.p99,
    cpuMs: rounded(cpuMs / amount),
  };
}

/** Does `work` `count` times, by so many workers at once. Returns the milliseconds of each. */
export async function atOnce(
  count: number,
  workers: number,
  work: () => Promise<unknown>,
): Promise<{ readonly perSecond: number; readonly ms: readonly number[] }> {
  const ms: number[] = [];
  let left = count;
  const worker = async () => {
    while (left-- > 0) {
      const begun = performance.now();
      await work();
      ms.push(performance.now() - begun);
    }
  };
  const begun = performance.now();
  await Promise.all(Array.from({ length: workers }, worker));
  return { perSecond: Math.round((count / (performance.now() - begun)) * 1_000), ms };
}

const asRequest = ({ path, method, headers, body }: Sending): autocannon.Request => ({
  path,
  method,
  headers,
  ...(body === undefined ? {} : { body }),
});

/** Interleaves measures, so that background load affects all alike. Returns each one's median turn. */
export async function inTurns<Name extends string>(
  turns: number,
  measures: Readonly<Record<Name, () => Promise<Measured>>>,
): Promise<Record<Name, Measured>> {
  const names = Object.keys(measures) as Name[];
  const taken = new Map<Name, Measured[]>(names.map((name) => [name, []]));
  // the first turn is warm-up
  for (let turn = 0; turn <= turns; turn++)
    for (const name of names) {
      const measured = await measures[name]();
      if (turn > 0) taken.get(name)?.push(measured);
    }
  return Object.fromEntries(names.map((name) => [name, median(taken.get(name) ?? [])])) as Record<
    Name,
    Measured
  >;
}

function median(turns: readonly Measured[]): Measured {
  const middle = turns.toSorted((a, b) => a.perSecond - b.perSecond)[Math.floor(turns.length / 2)];
  if (!middle) throw new Error('nothing was measured');
  return middle;
}

export const rounded = (value: number) => Math.round(value * 1000) / 1000;
