/**
 * What a promise was broken by. `shown`: after an acknowledged restriction, to somebody who was not told of it yet.
 * `wrong`: an answer that contradicts the log or an earlier answer in another way.
 */
export const findingKinds = ['lost', 'doubled', 'resurrected', 'shown', 'out of order', 'wrong'] as const;

export type FindingKind = (typeof findingKinds)[number];

export interface Finding {
  readonly kind: FindingKind;
  readonly what: string;
  /** The operation, the answer and the events that show it. */
  readonly evidence: Readonly<Record<string, unknown>>;
}

/** How many of each kind. */
export function countFindings(findings: readonly Finding[]): Record<FindingKind, number> {
  const count = (kind: FindingKind) => findings.filter((finding) => finding.kind === kind).length;
  return Object.fromEntries(findingKinds.map((kind) => [kind, count(kind)])) as Record<FindingKind, number>;
}
