import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from '@jest/globals';
import type { Page } from 'playwright-core';
import { takePicture } from './picture.js';

const screenshots = fileURLToPath(new URL('../../../artifacts/screenshots', import.meta.url));

const WIDE = { width: 1280, height: 800 };
/** The last one is a phone's. */
const WIDTHS = [320, 1920, WIDE.width, 360];

/**
 * Verifies no sideways scrolling (WCAG 2.2, 1.4.10) at all widths, and contrast (1.4.3) in light and dark on a phone. With PLAZA_SCREENSHOTS=yes
 * it saves pictures, light and wide, dark and narrow, in `artifacts/screenshots`; `isLong`: of the beginning only.
 */
export async function expectLegible(page: Page, name: string, { isLong = false } = {}): Promise<void> {
  const save = async (look: string) => {
    if (process.env['PLAZA_SCREENSHOTS'] !== 'yes') return;
    mkdirSync(screenshots, { recursive: true });
    await takePicture(page, { path: join(screenshots, `${name}-${look}.png`), fullPage: !isLong });
  };
  // Without motion: colours fade when the scheme changes.
  await page.emulateMedia({ colorScheme: 'light', reducedMotion: 'reduce' });
  for (const width of WIDTHS) {
    await page.setViewportSize({ width, height: 740 });
    expect({ name, width, sideways: await overflowingElements(page) }).toMatchObject({ sideways: [] });
    if (width === WIDE.width) await save('light-wide');
  }
  expect({ name, faint: await lowContrastTexts(page) }).toMatchObject({ faint: [] });
  await page.emulateMedia({ colorScheme: 'dark' });
  expect({ name, isDark: true, faint: await lowContrastTexts(page) }).toMatchObject({ faint: [] });
  await save('dark-phone');
  await page.emulateMedia({ colorScheme: null, reducedMotion: null });
  await page.setViewportSize(WIDE);
}

/** Elements beyond the right edge of the window. */
export function overflowingElements(page: Page): Promise<string[]> {
  return page.evaluate(() => {
    const width = document.documentElement.clientWidth;
    if (document.documentElement.scrollWidth <= width) return [];
    const beyond = [...document.body.querySelectorAll('*')].filter(
      (each) => each.getBoundingClientRect().right > width + 0.5,
    );
    return ['the page', ...beyond.map((each) => each.outerHTML.slice(0, 80))];
  });
}

/** Texts with a contrast below 4.5 to 1, each with its ratio. */
function lowContrastTexts(page: Page): Promise<string[]> {
  return page.evaluate(() => {
    type Colour = readonly [number, number, number, number];
    const read = (text: string): Colour => {
      const [red = 0, green = 0, blue = 0, alpha = 1] = (/\((.*)\)/.exec(text)?.[1] ?? '')
        .split(/[\s,/]+/)
        .map(Number);
      return [red, green, blue, alpha];
    };
    const over = (upper: Colour, lower: Colour): Colour => {
      const mix = (at: 0 | 1 | 2) => upper[at] * upper[3] + lower[at] * (1 - upper[3]);
      return [mix(0), mix(1), mix(2), 1];
    };
    const found = new Map<Element, Colour>();
    const behind = (element: Element | null): Colour => {
      // No background is painted: the browser chooses it, and the ratio is unknown.
      if (element === null) return [NaN, NaN, NaN, 1];
      const known = found.get(element);
      if (known) return known;
      const colour = read(getComputedStyle(element).backgroundColor);
      const ground = colour[3] === 1 ? colour : over(colour, behind(element.parentElement));
      found.set(element, ground);
      return ground;
    };
    const luminance = ([red, green, blue]: Colour): number => {
      const [r = 0, g = 0, b = 0] = [red, green, blue]
        .map((value) => value / 255)
        .map((value) => (value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4));
      return 0.2126 * r + 0.7152 * g + 0.0722 * b;
    };
    const ratioOf = (element: Element): number => {
      const ground = behind(element);
      const text = luminance(over(read(getComputedStyle(element).color), ground));
      const [light, dark] = [Math.max(text, luminance(ground)), Math.min(text, luminance(ground))];
      return (light + 0.05) / (dark + 0.05);
    };
    const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    const elements = new Set<Element>(document.querySelectorAll('input:not([type=hidden])'));
    while (texts.nextNode())
      if (texts.currentNode.textContent?.trim() && texts.currentNode.parentElement)
        elements.add(texts.currentNode.parentElement);
    return [...elements]
      .filter((element) => element.checkVisibility())
      .map((element) => ({ element, ratio: ratioOf(element) }))
      .filter(({ ratio }) => !(ratio >= 4.5))
      .map(({ element, ratio }) => `${ratio.toFixed(2)} ${element.outerHTML.slice(0, 80)}`);
  });
}

/** Requires an outline of at least two pixels around the focused element. A loaded page gives `autofocus` its focus with its first frame. */
export async function isFocusVisible(page: Page): Promise<boolean> {
  const focused = await page
    .waitForFunction(
      () => ![null, document.body].includes(document.activeElement as HTMLElement | null),
      undefined,
      { timeout: 10_000 },
    )
    .catch(() => undefined);
  if (focused === undefined) return false;
  return page.evaluate(() => {
    const { activeElement } = document;
    if (activeElement === null) return false;
    const { outlineStyle, outlineWidth } = getComputedStyle(activeElement);
    return (
      activeElement.matches(':focus-visible') &&
      outlineStyle !== 'none' &&
      Number.parseFloat(outlineWidth) >= 2
    );
  });
}
