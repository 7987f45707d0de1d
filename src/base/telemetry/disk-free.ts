import { statfs } from 'node:fs/promises';
import { Gauge } from 'prom-client';
import type { Registry } from 'prom-client';

/** Adds a gauge of the bytes that a process without privileges can still write where `directory` is. */
export function diskFree(registry: Registry, directory: string): void {
  const gauge = new Gauge({
    name: 'plaza_disk_free_bytes',
    help: 'Free bytes of the file system with the data directory of this process.',
    registers: [],
    async collect() {
      this.set(await freeBytes(directory));
    },
  });
  registry.registerMetric(gauge);
}

/** NaN if this process has no such directory: an API process with stores elsewhere keeps no data. */
async function freeBytes(directory: string): Promise<number> {
  try {
    const { bavail, bsize } = await statfs(directory);
    return bavail * bsize;
  } catch {
    return NaN;
  }
}
