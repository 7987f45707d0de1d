import { randomBytes } from 'node:crypto';
import { Browser } from '../src/programs/demo/browser.js';
import { measureHashes } from './auth/bare-costs.js';
import { cpuOfEach, networkCpuMs } from './cpu.js';
import type { CpuMs } from './cpu.js';
import type { Effort } from './effort.js';
import { atOnce, rounded } from './load.js';
import { startNetwork, withDataDir } from './network.js';
import { percentiles } from './percentiles.js';
import type { Percentiles } from './percentiles.js';

export interface AccountsBench extends Percentiles {
  readonly perSecond: number;
  /** CPU for an account, of all processes and of each. */
  readonly cpuMs: number;
  readonly cpuMsOf: CpuMs;
  /** Bare argon2 hashes of the same cost, as many at a time. */
  readonly floor: { readonly perSecond: number; readonly cpuMs: number };
  /** CPU of the floor as a share of an account's. */
  readonly ratio: number;
}

const CONNECTIONS = 16;
const WARM_UP = 160;

/** Accounts as people make them: a browser opens the page of sign-up, sends the form, and is led to the account page. */
export function benchAccounts({ quick, settings }: Effort): Promise<AccountsBench> {
  const count = quick ? 160 : 800;
  return withDataDir(async (dataDir) => {
    const network = await startNetwork(dataDir, undefined, { RATE_LIMITS: 'off', ...settings });
    try {
      const make = () => signUp(network.baseUrl);
      await atOnce(WARM_UP, CONNECTIONS, make);
      const before = networkCpuMs(network);
      const { perSecond, ms } = await atOnce(count, CONNECTIONS, make);
      const cpu = cpuOfEach(before, networkCpuMs(network), count);
      const floor = await measureHashes(count, CONNECTIONS);
      return { perSecond, ...percentiles(ms), ...cpu, floor, ratio: rounded(floor.cpuMs / cpu.cpuMs) };
    } finally {
      await network.stop();
    }
  });
}

async function signUp(baseUrl: string): Promise<void> {
  const handle = `b_${randomBytes(6).toString('hex')}`;
  const browser = new Browser(baseUrl);
  const page = await browser.open(`${baseUrl}/api/auth/account/sign-up`);
  const [form] = page.forms;
  if (!form) throw new Error(`no form of sign-up:\n${page.text}`);
  const typed = { handle, displayName: 'B', email: `${handle}@example.org`, password: `of ${handle}` };
  const done = await browser.submit(page, form, typed);
  if (!done.text.includes(`@${handle}`)) throw new Error(`no account was made:\n${done.text}`);
}
