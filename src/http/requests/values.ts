import { z } from 'zod';
import { identifier as givenIdentifier } from './fields.js';

/** Values that stand in several resources (decisions.md, "Values"). */

export const identifier = givenIdentifier.describe('Opaque identifier; never parse it.');

export const timestamp = z.int().min(0).describe('Unix milliseconds, UTC.');

export const revision = z.int().min(1).describe('Send it with a change, so that no other change is lost.');

/** Where the next page begins. Absent on the last page. */
export const nextCursor = z
  .string()
  .min(1)
  .optional()
  .describe('Opaque: send it as `cursor` for the next page. Absent on the last one.');

export const exampleCursor = 'b3BhcXVlLWFuZC1zaWduZWQ';
