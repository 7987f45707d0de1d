import { beforeEach, describe, expect, it } from '@jest/globals';
import { until } from '../../testing/until.js';
import { DiskFullError, StoreUnavailableError } from '../errors.js';
import { GroupWriter } from './group-writer.js';
import { SyncError } from './segmented-log.js';

/** A log whose writes succeed or fail at a test's command. It starts after the first segment's header. */
class ScriptedLog {
  end = 32;
  segmentBase = 0;
  mustRoll = false;
  written: string[][] = [];
  faults: (Error | undefined)[] = [];
  truncateFault: Error | undefined;
  truncated = 0;

  async write(buffers: Buffer[], length: number): Promise<void> {
    await new Promise((resolve) => setTimeout(resolve, 1));
    const fault = this.faults.shift();
    if (fault) throw fault;
    this.written.push(buffers.map(String));
    this.end += length;
  }

  async truncate(): Promise<void> {
    this.truncated++;
    if (this.truncateFault) throw this.truncateFault;
    return Promise.resolve();
  }

  proofs = 0;
  hasRoom = false;

  async probeWrite(): Promise<void> {
    this.proofs++;
    const fault = this.faults.shift();
    return fault ? Promise.reject(fault) : Promise.resolve();
  }

  async probeSpace(): Promise<void> {
    return this.hasRoom ? Promise.resolve() : Promise.reject(fault('ENOSPC'));
  }

  async roll(): Promise<void> {
    this.segmentBase = this.end;
    this.end += 32;
    return Promise.resolve();
  }
}

const fault = (code: string): Error => Object.assign(new Error(`${code}: it happened`), { code });

describe('the group writer', () => {
  let log: ScriptedLog;
  let writer: GroupWriter;
  let events: string[];

  beforeEach(() => {
    log = new ScriptedLog();
    events = [];
    writer = new GroupWriter(log, 200, {
      onCommitted: () => events.push('committed'),
      onAppendsFailed: (error) => events.push(`lost: ${error.name}`),
      onBroken: () => events.push('broken'),
      onSpaceAvailable: () => events.push('room'),
    });
  });

  async function append(text: string): Promise<number> {
    const place = writer.place(() => text.length);
    return new Promise((resolve, reject) =>
      writer.enqueue({
        ...place,
        bytes: Buffer.from(text),
        onDurable: () => resolve(place.position),
        onFailed: reject,
      }),
    );
  }

  const outcomes = async (appends: Promise<number>[]): Promise<unknown[]> =>
    (await Promise.allSettled(appends)).map((o) =>
      o.status === 'fulfilled' ? o.value : (o.reason as Error).name,
    );

  it('writes the frames that gather during one write as the next batch', async () => {
    expect(await outcomes(['aaaa', 'bb', 'cc'].map(append))).toEqual([32, 36, 38]);
    expect(log.written).toEqual([['aaaa'], ['bb', 'cc']]);
    expect(events).toEqual(['committed', 'committed']);
    expect(writer.backlog).toBe(0);
  });

  it('opens a segment for a frame that no longer fits, in a separate write', async () => {
    const texts = ['a'.repeat(100), 'b'.repeat(60), 'c'.repeat(50), 'd'.repeat(500), 'e'];
    expect(await outcomes(texts.map(append))).toEqual([32, 132, 224, 306, 838]);
    expect(log.written.map((batch) => batch.map((text) => text[0]))).toEqual([
      ['a'],
      ['b'],
      ['c'],
      ['d'],
      ['e'],
    ]);
  });

  it('fails all queued frames on a full disk, truncates the file, and goes on', async () => {
    log.faults = [undefined, fault('ENOSPC')];
    const appends = ['a', 'b', 'c'].map(append);
    expect(await outcomes(appends)).toEqual([32, DiskFullError.name, DiskFullError.name]);
    expect(log.truncated).toBe(1);
    expect(await outcomes([append('d')])).toEqual([33]);
    expect(log.written).toEqual([['a'], ['d']]);
    expect(events).toEqual(['committed', 'lost: DiskFullError', 'committed']);
  });

  it.each([
    [
      'an fsync fails, even for lack of space',
      new SyncError('fsync failed', { cause: fault('ENOSPC') }),
      undefined,
    ],
    ['a write fails', fault('EIO'), undefined],
    ['the disk is full and the file cannot be cut back', fault('ENOSPC'), fault('EIO')],
  ])('writes nothing more after %s', async (_, writeFault, truncateFault) => {
    log.faults = [writeFault];
    log.truncateFault = truncateFault;
    expect(await outcomes([append('a'), append('b')])).toEqual([
      StoreUnavailableError.name,
      StoreUnavailableError.name,
    ]);
    expect(writer.broken).toBeInstanceOf(StoreUnavailableError);
    expect(writer.broken!.message).toContain('stopped writing after an I/O error');
    expect(log.written).toEqual([]);
    expect(events).toEqual(['lost: StoreUnavailableError', 'broken']);
    await expect(writer.probeWrite()).rejects.toThrow(StoreUnavailableError);
  });

  it('proves the disk writable by a write of the last second, or by a probe', async () => {
    await Promise.all([writer.probeWrite(), writer.probeWrite()]);
    expect(log.proofs).toBe(1);
    await append('a');
    await writer.probeWrite();
    expect(log.proofs).toBe(1);
  });

  it('is broken when that probe fails', async () => {
    log.faults = [fault('EIO')];
    await expect(writer.probeWrite()).rejects.toThrow(StoreUnavailableError);
    expect(events).toContain('broken');
  });

  it('reports a full disk until it has space, which the writer detects by itself', async () => {
    log.faults = [fault('ENOSPC')];
    await expect(append('a')).rejects.toThrow(DiskFullError);
    await expect(writer.probeWrite()).rejects.toThrow(DiskFullError);
    log.hasRoom = true;
    await until(() => events.includes('room'));
    await writer.probeWrite();
    expect(writer.broken).toBeUndefined();
  });
});
