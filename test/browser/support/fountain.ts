import { expect } from '@jest/globals';
import type { BrowserContextOptions, Locator, Page } from 'playwright-core';
import { Browser as FormBrowser } from '../../../src/programs/demo/browser.js';
import type { ReferenceApp } from '../../examples/support/reference-app.js';
import type { TestNetwork } from '../../support/network.js';
import { createPerson, newHandle, password } from './application.js';
import { allow, signIn } from './flow.js';
import type { WatchedBrowser } from './watched-browser.js';

export interface Account {
  readonly actorId: string;
  readonly handle: string;
  readonly name: string;
}

export interface Someone extends Account {
  readonly page: Page;
}

export async function newAccount(network: TestNetwork, name: string): Promise<Account> {
  const word = name.toLowerCase().replaceAll(/[^a-z]/g, '');
  const handle = newHandle(word.slice(0, 10));
  const { actorId } = await createPerson(network, handle, name);
  return { actorId, handle, name };
}

/** Signs in through the pages of the application and of the network. */
export async function enter(page: Page, { origin }: ReferenceApp, handle: string): Promise<void> {
  await page.goto(origin);
  await page.getByRole('button', { name: 'Sign in or join' }).click();
  await signIn(page, handle);
  await allow(page);
  await page.getByRole('heading', { name: 'Home' }).waitFor();
}

export const post = (page: Page, text: string): Locator =>
  page.getByRole('article').filter({ hasText: text });

export const like = (page: Page, text: string): Locator =>
  post(page, text).getByRole('button', { name: 'Like' });

/** Waits until it has been answered. */
export async function sendLike(page: Page, text: string): Promise<void> {
  const answered = page.waitForResponse((response) => response.url().endsWith('/like'));
  await like(page, text).click();
  await answered;
}

/** The console of a browser names each page that was refused. */
export function expectRefused(watched: WatchedBrowser, status: number): void {
  for (const fault of watched.takeFaults()) expect(fault).toContain(`with a status of ${status}`);
}

/** People of a running reference application, each in a browser of their own. */
export class Fountain {
  constructor(
    private readonly network: TestNetwork,
    readonly app: ReferenceApp,
    private readonly watched: WatchedBrowser,
  ) {}

  /** At the home page. They signed in without the pages of the network, where their browser is a stranger. */
  async someone(name: string, options: BrowserContextOptions = {}): Promise<Someone> {
    const account = await newAccount(this.network, name);
    const page = await this.watched.newPage(options);
    const { origin } = this.app;
    const sent = { headers: { origin }, form: { returnTo: '/' }, maxRedirects: 0 };
    const begun = await page.context().request.post(`${origin}/login`, sent);
    const location = begun.headers()['location'] ?? '';
    const callback = new FormBrowser(this.network.baseUrl).authorize(location, { ...account, password });
    await page.goto((await callback).href);
    await page.getByRole('heading', { name: 'Home' }).waitFor();
    return { ...account, page };
  }

  async say({ page }: Someone, text: string): Promise<void> {
    await page.goto(this.app.origin);
    await page.getByLabel('What is happening?').fill(text);
    await page.locator('main').getByRole('button', { name: 'Post' }).click();
    await post(page, text.split('\n')[0] ?? '').waitFor();
  }

  async follow({ page }: Someone, { handle, name }: Someone): Promise<void> {
    await page.goto(`${this.app.origin}/@${handle}`);
    await page.getByRole('button', { name: `Follow ${name}` }).click();
    await page.getByRole('button', { name: `Following ${name}` }).waitFor();
  }
}
