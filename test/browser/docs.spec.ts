import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type { Browser } from 'playwright-core';
import { operationsOf } from '../../src/doors/api/openapi/openapi.js';
import type { OpenApi } from '../../src/doors/api/openapi/openapi.js';
import { sharedNetwork } from '../support/shared-network.js';
import type { SharedNetwork } from '../support/shared-network.js';
import { describeInBrowser, startChromium } from './support/chromium.js';
import { expectLegible } from './support/legibility.js';
import { WatchedBrowser } from './support/watched-browser.js';

describeInBrowser('the reference at /docs', () => {
  let network: SharedNetwork;
  let chromium: Browser;
  let watched: WatchedBrowser;

  beforeAll(async () => {
    [network, chromium] = await Promise.all([sharedNetwork(), startChromium()]);
    watched = new WatchedBrowser(chromium);
  });

  afterAll(async () => {
    await watched?.close();
    await chromium?.close();
  });

  it('makes no further request, and has no broken internal link', async () => {
    const page = await watched.newPage();
    const asked: string[] = [];
    page.on('request', (request) => asked.push(request.url()));
    await page.goto(`${network.baseUrl}/docs`);
    expect(asked).toEqual([`${network.baseUrl}/docs`]);
    const broken = await page.evaluate(() =>
      [...document.querySelectorAll('a')]
        .map((link) => link.getAttribute('href') ?? '')
        .filter((href) => href.startsWith('#') && !document.getElementById(href.slice(1))),
    );
    expect(broken).toEqual([]);
    expect(watched.takeFaults()).toEqual([]);
  });

  it('shows every operation and every code, legibly in all sizes and colour schemes', async () => {
    const served = await fetch(`${network.baseUrl}/api/openapi.json`);
    const document = (await served.json()) as OpenApi;
    const page = await watched.newPage();
    await page.goto(`${network.baseUrl}/docs`);
    for (const { path, method, operation } of operationsOf(document)) {
      const text = await page.locator(`#${operation.operationId}`).textContent();
      for (const part of [path, method.toUpperCase(), operation.summary]) expect(text).toContain(part);
    }
    for (const code of Object.keys(document.components.examples))
      expect(await page.locator(`#code-${code}`).count()).toBe(1);
    await expectLegible(page, 'docs', { isLong: true });
    expect(watched.takeFaults()).toEqual([]);
  });
});
