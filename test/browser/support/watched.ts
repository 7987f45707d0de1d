import type { Browser, BrowserContext, BrowserContextOptions, ConsoleMessage, Page } from 'playwright-core';

/** Contexts of one browser, with everything that went wrong on any of their pages. */
export class Watched {
  readonly #contexts: BrowserContext[] = [];
  readonly #faults: string[] = [];

  constructor(private readonly browser: Browser) {}

  /** A browser of a person: cookies of its own. */
  async person(options: BrowserContextOptions = {}): Promise<Page> {
    const context = await this.browser.newContext({ ignoreHTTPSErrors: true, ...options });
    this.#contexts.push(context);
    context.setDefaultTimeout(20_000);
    context.on('weberror', (error) => this.#faults.push(`error: ${error.error().message}`));
    context.on('console', (message) => {
      // Of the policies that a page breaks Chromium tells here as well.
      if (['error', 'warning'].includes(message.type()) && !isAnswer(message))
        this.#faults.push(`${message.page()?.url()}: ${message.text()}`);
    });
    return context.newPage();
  }

  /** What was blocked or failed since the last time. */
  takeFaults(): string[] {
    return this.#faults.splice(0);
  }

  async close(): Promise<void> {
    await Promise.all(this.#contexts.splice(0).map((context) => context.close()));
  }
}

/** That a page itself came with a status of failure: a form that was filled in wrongly, say. */
function isAnswer(message: ConsoleMessage): boolean {
  return (
    message.text().startsWith('Failed to load resource: the server responded with a status of 4') &&
    message.location().url === message.page()?.url()
  );
}
