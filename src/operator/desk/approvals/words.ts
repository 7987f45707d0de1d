import { z } from 'zod';

/** `fact`: the one of the request with its ids, which are the first of `count`. */
const about = z.strictObject({
  kind: z.enum(['posts', 'accounts', 'operators']),
  fact: z.string(),
  count: z.number(),
});

/** A request for people, in place of the name of its act: nobody approves what they cannot read. */
export const approvalWords = z.strictObject({
  /** A heading: `Suspend an account`. */
  asks: z.string(),
  /** The effect, once it is approved and executed. */
  does: z.string(),
  /** Null: the other facts say it. */
  about: about.nullable(),
});

export type ApprovalWords = z.infer<typeof approvalWords>;

/** About one thing, whose id is this fact. */
export const aboutOne = (
  kind: z.infer<typeof about>['kind'],
  fact: string,
): NonNullable<ApprovalWords['about']> => ({
  kind,
  fact,
  count: 1,
});
