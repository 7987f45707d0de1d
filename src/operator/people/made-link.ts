import { z } from 'zod';

/** `told`: addresses that get a mail. Times are Unix milliseconds. */
export const madeLink = z.strictObject({
  linkId: z.string(),
  link: z.string(),
  worksFrom: z.number(),
  worksUntil: z.number(),
  told: z.number(),
});

export type MadeLink = z.infer<typeof madeLink>;
