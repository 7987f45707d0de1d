import { startNetwork } from './network.js';
import type { TestNetwork } from './network.js';
import { until } from './until.js';

/** The modules of test/ are new for each spec file, and the network goes on. */
const LENT = Symbol.for('plaza.lentNetwork');
const MAX_RECOVERY_MS = 60_000;
/** The files that use one run one after another (run-order.sequencer.mjs). */
const KEPT_MS = 10_000;

interface Lent {
  readonly network: TestNetwork;
  isGivenBack: boolean;
  end?: NodeJS.Timeout;
}

const worker = globalThis as { [LENT]?: Lent };

/**
 * A network with the settings of {@link startNetwork}, for one spec file at a time: the next file of this worker gets it
 * with what the earlier ones wrote. A spec may freeze, kill and restart its processes, and pause it, and ends all that before
 * `stop` gives it back. It ends soon after, unless another file of the worker asks for it.
 */
export async function lentNetwork(): Promise<TestNetwork> {
  const earlier = worker[LENT];
  // A spec that failed in its first lines never gives it back.
  if (earlier?.isGivenBack === false) await dismissForOthers(earlier);
  const lent = (worker[LENT] ??= { network: await start(), isGivenBack: false });
  lent.isGivenBack = false;
  clearTimeout(lent.end);
  const { network } = lent;
  let printedBefore = network.output().length;
  // Its getters go on to answer with the values of now.
  return Object.create(network, {
    output: { value: () => network.output().slice(printedBefore) },
    restart: {
      value: async () => {
        printedBefore = 0;
        await network.restart();
      },
    },
    stop: {
      value: async () => {
        await until(() => isReady(network), MAX_RECOVERY_MS).catch(async (error: unknown) => {
          await dismiss(lent);
          throw new Error(`the lent network is given back broken\n${network.output()}`, { cause: error });
        });
        network.unref();
        lent.isGivenBack = true;
        clearTimeout(lent.end);
        lent.end = setTimeout(() => void dismissForOthers(lent), KEPT_MS).unref();
      },
    },
  }) as TestNetwork;
}

async function start(): Promise<TestNetwork> {
  const network = await startNetwork();
  network.unref();
  return network;
}

/** While another file runs, whose fault it is not if this fails. */
async function dismissForOthers(lent: Lent): Promise<void> {
  await dismiss(lent).catch((error: unknown) =>
    process.emitWarning(new Error('a lent network does not stop', { cause: error })),
  );
}

async function dismiss(lent: Lent): Promise<void> {
  if (worker[LENT] === lent) delete worker[LENT];
  await lent.network.stop();
}

const isReady = ({ baseUrl }: TestNetwork): Promise<boolean> =>
  fetch(`${baseUrl}/readyz`).then(
    ({ ok }) => ok,
    () => false,
  );
