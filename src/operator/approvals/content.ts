import { z } from 'zod';
import type { ApprovalPreview } from '../acts/act.js';

const content = z.object({
  params: z.record(z.string(), z.string()),
  input: z.looseObject({ reason: z.string().optional() }),
  facts: z.record(z.string(), z.union([z.string(), z.number(), z.array(z.string())])),
});

export type Content = z.infer<typeof content>;

/** The same text for the same act: it is what the digest is made of. */
export function contentOf(
  params: Readonly<Record<string, string>>,
  input: unknown,
  { facts, input: fixed }: ApprovalPreview,
): string {
  return JSON.stringify({ params, input: fixed ?? input ?? {}, facts });
}

export const readContent = (text: string): Content => content.parse(JSON.parse(text));
