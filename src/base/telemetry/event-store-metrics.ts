import { collectDefaultMetrics, Registry } from 'prom-client';
import { diskFree } from './disk-free.js';

/** The metrics of the embedded event store's process. The processes that append to it measure its latency. */
export function eventStoreMetrics(directory: string): Registry {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  diskFree(registry, directory);
  return registry;
}
