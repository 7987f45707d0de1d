import { EventStoreDBClient, jsonEvent, NO_STREAM, type JSONEventType } from '@eventstore/db-client';
import { randomUUID } from 'node:crypto';

export interface Appends {
  writers: number;
  appendsPerSecond: number;
  p50Ms: number;
  p99Ms: number;
}

// Unknown to any network, so that a network whose store is measured ignores these events.
type Measured = JSONEventType<'bench.measured', { text: string }>;

/** Every append creates a stream, like a new post. */
export async function measureAppends(
  url: string,
  writers: number,
  seconds: number,
  size: number,
): Promise<Appends> {
  const client = EventStoreDBClient.connectionString(url);
  const latencies: number[] = [];
  const post = (): ReturnType<typeof jsonEvent<Measured>> =>
    jsonEvent<Measured>({
      type: 'bench.measured',
      data: { text: 'x'.repeat(200) },
      metadata: { actor: randomUUID() },
    });
  const append = async (): Promise<void> => {
    const batch = Array.from({ length: size }, post);
    const begun = performance.now();
    await client.appendToStream(`bench-${randomUUID()}`, batch, { expectedRevision: NO_STREAM });
    latencies.push(performance.now() - begun);
  };
  const writeUntil = async (end: number): Promise<void> => {
    while (performance.now() < end) await append();
  };
  const warm = performance.now() + 500;
  await Promise.all(Array.from({ length: writers }, async () => writeUntil(warm)));
  latencies.length = 0;
  const begun = performance.now();
  await Promise.all(Array.from({ length: writers }, async () => writeUntil(begun + seconds * 1000)));
  const elapsed = (performance.now() - begun) / 1000;
  await client.dispose();
  latencies.sort((a, b) => a - b);
  const percentile = (share: number): number => round(latencies[Math.floor(latencies.length * share)] ?? 0);
  return {
    writers,
    appendsPerSecond: Math.round(latencies.length / elapsed),
    p50Ms: percentile(0.5),
    p99Ms: percentile(0.99),
  };
}

export function round(value: number): number {
  return Math.round(value * 100) / 100;
}
