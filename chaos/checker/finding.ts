/**
 * Kinds of broken promises. `shown`: content after its acknowledged restriction, to an actor without an answer as new
 * as the restriction. `wrong`: any other contradiction to the log or an earlier answer.
 */
export const findingKinds = ['lost', 'doubled', 'resurrected', 'shown', 'out of order', 'wrong'] as const;

export type FindingKind = (typeof findingKinds)[number];

export interface Finding {
  readonly kind: FindingKind;
  readonly what: string;
  readonly evidence: Readonly<Record<string, unknown>>;
}

export function countFindings(findings: readonly Finding[]): Record<FindingKind, number> {
  const count = (kind: FindingKind) => findings.filter((finding) => finding.kind === kind).length;
  return Object.fromEntries(findingKinds.map((kind) => [kind, count(kind)])) as Record<FindingKind, number>;
}
