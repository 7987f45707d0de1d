import { z } from 'zod';
import type { ApprovalPreview } from '../act.js';

export const shownFacts = z.record(
  z.string(),
  z.union([z.string(), z.number(), z.array(z.string()).readonly()]),
);

const content = z.object({
  params: z.record(z.string(), z.string()),
  input: z.looseObject({ reason: z.string().optional() }),
  /** Random: nobody can guess from the digest what the request is about. */
  salt: z.string().default(''),
  facts: shownFacts,
});

export type Content = z.infer<typeof content>;

/** The same text for the same act: it is what the digest is made of. */
export function contentOf({
  params,
  input,
  preview: { facts, input: fixed },
  salt,
}: {
  readonly params: Readonly<Record<string, string>>;
  readonly input: unknown;
  readonly preview: ApprovalPreview;
  readonly salt: string;
}): string {
  return JSON.stringify({ params, input: fixed ?? input ?? {}, facts, salt });
}

export const readContent = (text: string): Content => content.parse(JSON.parse(text));
