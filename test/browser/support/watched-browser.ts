import type { Browser, BrowserContext, BrowserContextOptions, ConsoleMessage, Page } from 'playwright-core';

/** A browser that collects the errors and warnings of all its pages. */
export class WatchedBrowser {
  readonly #contexts: BrowserContext[] = [];
  readonly #faults: string[] = [];

  constructor(private readonly browser: Browser) {}

  /** A page in a new context, with its own cookies. */
  async newPage(options: BrowserContextOptions = {}): Promise<Page> {
    const context = await this.browser.newContext({ ignoreHTTPSErrors: true, ...options });
    this.#contexts.push(context);
    context.setDefaultTimeout(20_000);
    context.on('weberror', (error) => this.#faults.push(`error: ${error.error().message}`));
    context.on('console', (message) => {
      // Violations of the content security policy appear here, too.
      if (['error', 'warning'].includes(message.type()) && !isAnswer(message))
        this.#faults.push(`${message.page()?.url()}: ${message.text()}`);
    });
    return context.newPage();
  }

  /** Returns and clears the collected faults. */
  takeFaults(): string[] {
    return this.#faults.splice(0);
  }

  async close(): Promise<void> {
    await Promise.all(this.#contexts.splice(0).map((context) => context.close()));
  }
}

/** A page's own 4xx status is no fault: for instance an invalid form. */
function isAnswer(message: ConsoleMessage): boolean {
  return (
    message.text().startsWith('Failed to load resource: the server responded with a status of 4') &&
    message.location().url === message.page()?.url()
  );
}
