import { megabytesOfEach, startNetwork, withDataDir } from './network.js';

export interface StartBench {
  readonly secondsToReady: { readonly firstStart: number; readonly secondStart: number };
  /** Idle, after the second start: proportional set size. */
  readonly idleMegabytes: Readonly<Record<string, number>>;
}

/** Duration of `npm start` on an empty and on a used directory, and its memory afterwards. */
export function benchStart(): Promise<StartBench> {
  return withDataDir(async (dataDir) => {
    const first = await startNetwork(dataDir, ['npm', 'start']);
    await first.stop();
    const second = await startNetwork(dataDir, ['npm', 'start']);
    const idleMegabytes = megabytesOfEach(second);
    await second.stop();
    return {
      secondsToReady: { firstStart: first.secondsToReady, secondStart: second.secondsToReady },
      idleMegabytes,
    };
  });
}
