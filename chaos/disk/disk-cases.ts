import { chownSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { accountForPostgres } from '../../src/launch/postgres/system-account.js';
import type { TestNetwork } from '../../test/support/network.js';
import {
  canHaveSmallDisk,
  makeSmallDisk,
  canHaveFailingDisk,
  makeFailingDisk,
} from '@plaza/event-store/testing';

/** A disk below a part of a network's data. */
export interface BrokenDisk {
  break(): void;
  /** Acts as an operator; resolves when nothing prevents the network's return. */
  mend(network: TestNetwork): Promise<void>;
  remove(): void;
}

export interface DiskCase {
  readonly name: string;
  readonly lacking: string | undefined;
  prepare(dataDir: string): BrokenDisk;
}

const EVENT_STORE_MEGABYTES = 16;
/** A new cluster takes 60 MB, and its journal as much. */
const POSTGRES_MEGABYTES = 256;

const full = (dir: string, megabytes: number): BrokenDisk => {
  const disk = makeSmallDisk(megabytes, dir);
  return {
    break: () => disk.fill(),
    mend: async () => disk.empty(),
    remove: () => disk.remove(),
  };
};

/** Replaces a failed device. Writes that it never received are gone, as after a power failure. */
const failing = (dir: string, megabytes: number): BrokenDisk => {
  const disk = makeFailingDisk(megabytes, dir);
  return {
    break: () => disk.fail(),
    mend: async (network) => {
      await network.killAll('SIGKILL');
      await disk.replug();
      await network.restart();
    },
    remove: () => disk.remove(),
  };
};

const madeIn = (dataDir: string, name: string): string => {
  const dir = join(dataDir, name);
  mkdirSync(dir, { mode: 0o700 });
  return dir;
};

const forEventStore = (make: typeof full) => (dataDir: string) =>
  make(madeIn(dataDir, 'eventstore'), EVENT_STORE_MEGABYTES);

const forPostgres = (make: typeof full) => (dataDir: string) => {
  const dir = madeIn(dataDir, 'postgres');
  const disk = make(dir, POSTGRES_MEGABYTES);
  const account = accountForPostgres(dir);
  if (account) chownSync(dir, account.uid, account.gid);
  return disk;
};

const forSmall = canHaveSmallDisk ? undefined : 'it takes root, to mount a small disk';
const forFailing = canHaveFailingDisk ? undefined : 'it takes root, loop devices and ext4';

export const diskCases: readonly DiskCase[] = [
  { name: 'full disk below the event store', lacking: forSmall, prepare: forEventStore(full) },
  { name: 'full disk below Postgres', lacking: forSmall, prepare: forPostgres(full) },
  {
    name: 'full disk below all data',
    lacking: forSmall,
    prepare: (dataDir) => full(dataDir, EVENT_STORE_MEGABYTES + POSTGRES_MEGABYTES),
  },
  { name: 'failing disk below the event store', lacking: forFailing, prepare: forEventStore(failing) },
  { name: 'failing disk below Postgres', lacking: forFailing, prepare: forPostgres(failing) },
];
