import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { chromium } from 'playwright-core';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { rounded } from './load.js';
import { residentMegabytes, startNetwork, withDataDir } from './network.js';
import type { BenchNetwork } from './network.js';
import { percentiles } from './percentiles.js';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const VIEWERS = 10;
const UPDATES = 3;
const LOADS = 5;
const PAGES = ['overview', 'plots', 'audit', 'applications', 'recovery'] as const;

export interface ConsoleBench {
  /** From `npm start` on an empty directory until a browser shows the overview to its first administrator. */
  readonly secondsToAdministrator: number;
  readonly secondsToReady: number;
  /** Proportional set size of the API. */
  readonly apiMegabytes: {
    readonly before: number;
    readonly withConsole: number;
    readonly with10Viewers: number;
  };
  readonly pages: Readonly<Record<string, PageCost>>;
}

/** With an empty cache. `kilobytes`: of all answers, as sent. Milliseconds are medians of the navigation's paint. */
interface PageCost {
  readonly kilobytes: number;
  readonly firstPaintMs: number;
}

export function benchConsole(): Promise<ConsoleBench> {
  return withDataDir(async (dataDir) => {
    const browser = await chromium.launch({
      executablePath: process.env['CHROMIUM'] ?? '/usr/bin/chromium',
      args: ['--no-sandbox', '--disable-gpu'],
    });
    const began = performance.now();
    const network = await startNetwork(dataDir, ['npm', 'start']);
    try {
      const before = apiMegabytes(network);
      const context = await browser.newContext();
      const page = await becomeAdministrator(context, network, dataDir);
      const secondsToAdministrator = rounded((performance.now() - began) / 1_000);
      const url = new URL('/console', page.url()).href;
      const pages: Record<string, PageCost> = {};
      for (const name of PAGES) pages[name] = await costOf(browser, context, `${url}/${name}`);
      const withConsole = apiMegabytes(network);
      const with10Viewers = await whileWatched(url, await cookieOf(context), () => apiMegabytes(network));
      return {
        secondsToReady: rounded(network.secondsToReady),
        secondsToAdministrator,
        apiMegabytes: { before, withConsole, with10Viewers },
        pages,
      };
    } finally {
      await network.stop();
      await browser.close();
    }
  });
}

function apiMegabytes({ run }: BenchNetwork): number {
  if (run.pids.api === undefined) throw new Error('the network has no API process');
  return residentMegabytes([run.pids.api]);
}

async function becomeAdministrator(
  context: BrowserContext,
  network: BenchNetwork,
  dataDir: string,
): Promise<Page> {
  const settings = { ...network.run.settings, DATA_DIR: dataDir };
  const args = ['bin/plaza.mjs', 'operator', 'invite', '--name', 'Ada', '--role', 'administrator', '--json'];
  const options = { cwd: ROOT, env: { ...process.env, ...settings } };
  const { stdout } = await promisify(execFile)(process.execPath, args, options);
  const page = await context.newPage();
  const devtools = await context.newCDPSession(page);
  await devtools.send('WebAuthn.enable');
  await devtools.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      protocol: 'ctap2',
      transport: 'internal',
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  });
  await page.goto((JSON.parse(stdout) as { readonly link: string }).link);
  await page.getByRole('button', { name: 'Create a passkey' }).click();
  await page.getByRole('heading', { name: /The network/ }).waitFor();
  return page;
}

async function costOf(browser: Browser, signedIn: BrowserContext, url: string): Promise<PageCost> {
  const paints: number[] = [];
  let bytes = 0;
  for (let load = 0; load < LOADS; load += 1) {
    const context = await browser.newContext({ storageState: await signedIn.storageState() });
    const page = await context.newPage();
    const devtools = await context.newCDPSession(page);
    await devtools.send('Network.enable');
    bytes = 0;
    devtools.on('Network.loadingFinished', ({ encodedDataLength }) => (bytes += encodedDataLength));
    await page.goto(url, { waitUntil: 'load' });
    await page.waitForFunction(() => performance.getEntriesByName('first-contentful-paint').length > 0);
    paints.push(
      await page.evaluate(
        () => performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? Number.NaN,
      ),
    );
    await context.close();
  }
  return { kilobytes: Math.round(bytes / 1_000), firstPaintMs: Math.round(percentiles(paints).p50Ms) };
}

async function cookieOf(context: BrowserContext): Promise<string> {
  return (await context.cookies()).map(({ name, value }) => `${name}=${value}`).join('; ');
}

/** Measures while viewers follow the plots, once each has some updates. */
async function whileWatched<Result>(url: string, cookie: string, measure: () => Result): Promise<Result> {
  const left = new AbortController();
  const follow = async () => {
    const { body } = await fetch(`${url}/plots/stream`, { headers: { cookie }, signal: left.signal });
    if (!body) throw new Error('the stream of plots has no body');
    const reader = body.pipeThrough(new TextDecoderStream()).getReader();
    for (let text = ''; text.split('event: plots').length <= UPDATES;) {
      const { done, value } = await reader.read();
      if (done) throw new Error(`the stream of plots ended: ${text.slice(0, 200)}`);
      text += value;
    }
  };
  try {
    await Promise.all(Array.from({ length: VIEWERS }, follow));
    return measure();
  } finally {
    left.abort();
  }
}
