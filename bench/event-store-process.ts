import { startEmbeddedEventStore } from '@plaza/event-store/testing';

export async function withEventStore<T>(
  dir: string,
  args: readonly string[],
  use: (url: string, pid: number) => Promise<T>,
): Promise<T> {
  const store = await startEmbeddedEventStore({ dir, args });
  try {
    return await use(store.url, store.pid);
  } finally {
    await store.stop();
  }
}
