import type { Page } from 'playwright-core';
import { isFocusVisible } from './legibility.js';

/** A person without a pointer. At each step the focus must be visible, on pages of `origin` if it is given. */
export class Keyboard {
  constructor(
    private readonly page: Page,
    private readonly origin = '',
  ) {}

  /** The name of the focused element. */
  focused(): Promise<string> {
    return this.page.evaluate(() => {
      const { activeElement: element } = document;
      const label = (element as HTMLInputElement | null)?.labels?.[0];
      return element?.getAttribute('aria-label') ?? (label ?? element)?.textContent?.trim() ?? '';
    });
  }

  async reach(name: string | RegExp, maxSteps = 80): Promise<void> {
    const seen: string[] = [];
    for (let steps = 0; steps < maxSteps; steps++) {
      const focused = await this.focused();
      if (typeof name === 'string' ? focused === name : name.test(focused))
        return this.#requireFocus(focused);
      seen.push(focused);
      await this.page.keyboard.press('Tab');
    }
    throw new Error(`the keyboard does not reach ${String(name)}, but ${seen.join(' | ')}`);
  }

  async #requireFocus(name: string): Promise<void> {
    if (!this.page.url().startsWith(this.origin) || (await isFocusVisible(this.page))) return;
    throw new Error(`the focus on ${name} is not visible`);
  }

  async activate(name: string | RegExp, maxSteps?: number): Promise<void> {
    await this.reach(name, maxSteps);
    await this.page.keyboard.press('Enter');
  }

  /** Activates it, and waits for the page to which it leads. */
  async press(name: string | RegExp): Promise<void> {
    const loaded = this.page.waitForEvent('load');
    await this.activate(name);
    await loaded;
  }

  async type(name: string, text: string): Promise<void> {
    await this.reach(name);
    await this.page.keyboard.press('Control+A');
    await this.page.keyboard.type(text);
  }
}
