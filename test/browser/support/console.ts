import axe from 'axe-core';
import type { Page } from 'playwright-core';

/** A passkey of Chromium's own: it answers each question at once, as a person with a finger would. */
export async function addAuthenticator(page: Page): Promise<void> {
  const devtools = await page.context().newCDPSession(page);
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
}

/** Accepts an invitation with a passkey. */
export async function enrollInBrowser(page: Page, link: string): Promise<void> {
  await addAuthenticator(page);
  await page.goto(link);
  await page.getByRole('button', { name: 'Create a passkey' }).click();
  await page
    .getByRole('heading', { name: /The network/ })
    .first()
    .waitFor();
}

/** Those of axe-core's rules whose outcome depends on the scheme. */
export const rulesOfColours = ['color-contrast', 'link-in-text-block'];

/** Violations of axe-core's rules, each with the elements. `rules`: of these alone, on a page that has been looked at. */
export async function accessibilityFaults(page: Page, rules?: string[]): Promise<string[]> {
  if (!rules) await page.evaluate(axe.source);
  const { violations } = await page.evaluate(
    (options) => (globalThis as unknown as { axe: typeof axe }).axe.run(options),
    rules ? { runOnly: rules } : {},
  );
  return violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html.slice(0, 120)}`));
}
