import { z } from 'zod';
import { identifier as givenIdentifier } from './fields.js';

export const identifier = givenIdentifier.describe('Opaque identifier; do not parse it.');

export const timestamp = z.int().min(0).describe('Unix milliseconds, UTC.');

export const revisionField = z
  .int()
  .min(1)
  .describe('Send it with a change: the change fails if the resource has changed since.');

export const nextCursor = z
  .string()
  .min(1)
  .optional()
  .describe('Opaque. Send it as `cursor` to get the next page. Absent on the last page.');

export const exampleCursor = 'b3BhcXVlLWFuZC1zaWduZWQ';
