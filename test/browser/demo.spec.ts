/** @slow */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { afterAll, afterEach, beforeAll, expect, it } from '@jest/globals';
import type { Browser } from 'playwright-core';
import { freePort, listenError } from '../../src/launch/free-port.js';
import { environment, root, runPlaza } from '../support/command.js';
import { startNetwork } from '../support/network.js';
import type { TestNetwork } from '../support/network.js';
import { CHECKS_MS, until } from '../support/until.js';
import { describeInBrowser, startChromium } from './support/chromium.js';
import { allow, signIn } from './support/flow.js';
import { WatchedBrowser } from './support/watched-browser.js';

describeInBrowser('`npm run demo`', () => {
  let network: TestNetwork;
  let chromium: Browser;
  let watched: WatchedBrowser;
  let port: number;

  beforeAll(async () => {
    [network, chromium, port] = await Promise.all([
      startNetwork({ RATE_LIMITS: 'on' }),
      startChromium(),
      freePort(),
    ]);
    watched = new WatchedBrowser(chromium);
  });
  afterEach(() => watched.close());
  afterAll(async () => {
    await chromium?.close();
    await network?.stop();
  });

  /** In a terminal, Ctrl-C reaches npm and what it started; npm passes on a signal that it alone gets. */
  function run() {
    const child = spawn('npm', ['run', 'demo'], {
      cwd: root,
      env: environment({ DATA_DIR: network.dataDir, REFERENCE_APP_PORT: String(port) }),
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let output = '';
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding('utf8').on('data', (text: string) => (output += text));
    return { child, ended: once(child, 'close'), output: () => output };
  }

  it('fills an empty network, and serves an application on it until Ctrl-C', async () => {
    const { child, ended, output } = run();
    try {
      await until(() => /^open http/m.test(output()) || child.exitCode !== null, CHECKS_MS);
      const said = /address +(\S+)\n +handle +(\S+)\n +password +(\S+)/.exec(output());
      if (!said) throw new Error(`there is nothing to sign in with:\n${output()}`);
      const [, address = '', handle = '', password = ''] = said;
      expect(address).toBe(`http://localhost:${port}`);

      const page = await watched.newPage();
      await page.goto(address);
      await page.getByRole('button', { name: 'Sign in or join' }).click();
      await signIn(page, handle, password);
      await allow(page);
      await page.getByRole('heading', { name: 'Home' }).waitFor();
      expect(await page.getByRole('article').count()).toBe(30);
      const authors = await page.locator('article a.name').allTextContents();
      expect(new Set(authors).size).toBeGreaterThan(10);
      expect(await page.getByRole('button', { name: 'Like', pressed: true }).count()).toBeGreaterThan(0);
      expect(Number.parseInt(await page.locator('.badge').innerText(), 10)).toBeGreaterThan(10);

      const second = run();
      expect(await second.ended).toEqual([1, null]);
      expect(second.output()).toMatch(
        new RegExp(`port ${port} \\(REFERENCE_APP_PORT\\) cannot be used \\(EADDRINUSE\\)`),
      );
      expect(watched.takeFaults()).toEqual([]);

      const removed = await runPlaza(['demo', '--remove'], { DATA_DIR: network.dataDir });
      expect(removed).toMatchObject({ code: 0, stdout: expect.stringMatching(/still serves.*Ctrl-C/) });
      const later = await page.context().newPage();
      await later.goto(address);
      // The account is erased, the grant has ended, and the application is suspended: a page meets one of these first.
      const honest =
        /You cannot take part now|Your connection has ended|This application is not admitted now/;
      await later.getByRole('heading', { name: honest }).waitFor();
      await page.getByRole('heading', { name: honest }).waitFor();
      expect(child.exitCode).toBeNull();
    } finally {
      child.kill('SIGINT');
      await ended;
    }
    expect(await ended).toEqual([null, 'SIGINT']);
    expect(await listenError(port, 'localhost')).toBeUndefined();
  });
});
