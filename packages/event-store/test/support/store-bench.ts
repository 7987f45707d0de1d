import { randomUUID } from 'node:crypto';
import { mkdtemp, open, readdir, rm, stat, truncate } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { StreamForwards } from '../../src/reading/stream-events.js';
import { FRAME_HEADER_LENGTH } from '../../src/storage/frame.js';
import { RecordView } from '../../src/storage/record.js';
import { openStore } from '../../src/storage/store.js';
import type { ProposedEvent, Store, StoreOptions } from '../../src/storage/store.js';

/** A directory of the embedded store, for tests that reopen it in many ways. */
export class StoreBench {
  readonly logged: { level: string; message: string; fields: Record<string, unknown> }[] = [];
  store: Store | undefined;

  private constructor(public dir: string) {}

  static async open(): Promise<StoreBench> {
    return new StoreBench(await mkdtemp(join(tmpdir(), 'plaza-store-')));
  }

  async reopen(options: Partial<StoreOptions> = {}): Promise<Store> {
    await this.store?.close();
    this.store = await openStore({
      dir: this.dir,
      log: (level, message, fields) => this.logged.push({ level, message, fields }),
      now: () => new Date(),
      newId: randomUUID,
      ...options,
    });
    return this.store;
  }

  async close(): Promise<void> {
    await this.store?.close();
    this.store = undefined;
  }

  /** Leaves the directory like a killed process: without the mark of a clean close. */
  async closeLikeKilled(): Promise<void> {
    const file = await this.lastFile();
    await this.close();
    await truncate(file, (await stat(file)).size - FRAME_HEADER_LENGTH);
  }

  async logFiles(): Promise<string[]> {
    return (await readdir(this.dir)).filter((name) => name.endsWith('.log')).sort();
  }

  async lastFile(): Promise<string> {
    return join(this.dir, (await this.logFiles()).at(-1)!);
  }

  async remove(): Promise<void> {
    await this.close();
    await rm(this.dir, { recursive: true });
  }
}

export function proposed(n: number, bytes = 0): ProposedEvent {
  const data = Buffer.from(JSON.stringify({ n, filling: 'x'.repeat(bytes) }));
  return { id: randomUUID(), type: 'tested', isJson: true, data, metadata: Buffer.alloc(0) };
}

export async function numbersOf(from: Store, stream: string): Promise<number[]> {
  const selection = new StreamForwards(from.index, stream, 0, () => from.now());
  const numbers: number[] = [];
  for (let atEnd = false; !atEnd;) {
    const page = selection.next(Infinity);
    atEnd = page.atEnd;
    for (const record of await from.records.read(page.ordinals)) {
      numbers.push((JSON.parse(new RecordView().at(record, 0).data.toString()) as { n: number }).n);
    }
  }
  return numbers;
}

export const range = (count: number): number[] => Array.from({ length: count }, (_, i) => i);

export async function flipByte(file: string, offset: number): Promise<void> {
  const handle = await open(file, 'r+');
  const byte = Buffer.alloc(1);
  await handle.read(byte, 0, 1, offset);
  await handle.write(Buffer.of(byte[0]! ^ 0xff), 0, 1, offset);
  await handle.close();
}
