import type { Page, PageScreenshotOptions } from 'playwright-core';
import { until } from '../../support/until.js';

/** Takes a picture of a page at rest. Chromium takes none while it cannot draw in time, as on a busy machine. */
export async function takePicture(page: Page, options: PageScreenshotOptions): Promise<void> {
  await until(() =>
    page.screenshot({ ...options, animations: 'disabled' }).catch((error: unknown) => {
      if (String(error).includes('Unable to capture screenshot')) return undefined;
      throw error;
    }),
  );
}
