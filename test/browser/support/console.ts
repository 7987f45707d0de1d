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

/** The rules that one colour scheme can break and the other not. */
const OF_COLOUR = ['color-contrast', 'link-in-text-block'];

/** Violations of axe-core's rules, or of those of colour, each with the elements. */
export async function accessibilityFaults(page: Page, { ofColour = false } = {}): Promise<string[]> {
  if (!(await page.evaluate(() => 'axe' in globalThis))) await page.evaluate(axe.source);
  const { violations } = await page.evaluate(
    (rules) =>
      (globalThis as unknown as { axe: typeof axe }).axe.run({
        // To describe passed elements takes a sixth of the time.
        resultTypes: ['violations'],
        ...(rules && { runOnly: rules }),
      }),
    ofColour ? OF_COLOUR : undefined,
  );
  return violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html.slice(0, 120)}`));
}
