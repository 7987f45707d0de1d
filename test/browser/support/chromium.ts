import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';
import { describe } from '@jest/globals';
import { chromium } from 'playwright-core';
import type { Browser } from 'playwright-core';

/** CHROMIUM, or the first installed one. */
const executablePath = [
  process.env['CHROMIUM'] ?? '',
  ...['chromium-headless-shell', 'chromium', 'chromium-browser', 'google-chrome'].flatMap((name) =>
    (process.env['PATH'] ?? '').split(delimiter).map((directory) => join(directory, name)),
  ),
].find(isExecutable);

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/** Without a browser these tests are skipped, and the closing lines of the run name them. */
export const describeInBrowser = executablePath === undefined ? describe.skip : describe;

/** A Chromium with a temporary profile. */
export function startChromium(): Promise<Browser> {
  if (executablePath === undefined) throw new Error('there is no Chromium: set CHROMIUM, or install one');
  return chromium.launch({
    executablePath,
    args: [
      '--no-sandbox',
      '--disable-gpu',
      '--disable-quic',
      '--no-first-run',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
      // A network that others reach has another name than localhost.
      '--host-resolver-rules=MAP plaza.test 127.0.0.1',
    ],
  });
}
