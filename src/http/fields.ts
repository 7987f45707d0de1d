import { z } from 'zod';

/** Fields and parameters that mean the same in every operation (decisions.md, "Values"). */

export const intentId = z
  .string('must be a string')
  .regex(/^[A-Za-z0-9._:-]{1,128}$/, 'must be 1 to 128 characters of A-Z a-z 0-9 . _ : -');

export const identifier = z
  .string('must be an identifier')
  .regex(/^[A-Za-z0-9_-]{1,64}$/, 'must be an identifier of the network');

/** An identifier from a path. What is none names nothing, like '' does: it is looked for, and not found, like any other. */
export const identifierOrNone = (given: string): string => (identifier.safeParse(given).success ? given : '');

const DEFAULT_PAGE = 50;

/** Rows of a page: default 50, clamped to 1..most; what is no integer counts as the default (network-api.md). */
export const pageLimit = ({ most }: { most: number }) =>
  z
    .unknown()
    .optional()
    .transform((given) => {
      const asked = typeof given === 'string' && /^-?[0-9]+$/.test(given) ? Number(given) : DEFAULT_PAGE;
      return Number.isSafeInteger(asked) ? Math.min(Math.max(asked, 1), most) : DEFAULT_PAGE;
    });
