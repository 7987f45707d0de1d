/**
 * A disagreement about one restriction. `missing`: the witness accepted the restriction and the log lacks it.
 * `unwitnessed`: the log has it with an epoch, and the witness does not know it.
 */
export type LedgerDifference =
  | { readonly kind: 'missing'; readonly epoch: bigint }
  | { readonly kind: 'unwitnessed'; readonly epoch: bigint };

export const MAX_REPORTED_DIFFERENCES = 100;
const EXAMPLES = 5;

export function describeDifferences(differences: readonly LedgerDifference[]): string | undefined {
  if (differences.length === 0) return undefined;
  const epochsOf = (wanted: LedgerDifference['kind']) =>
    differences.flatMap(({ kind, epoch }) => (kind === wanted ? [epoch] : []));
  const [missing, unwitnessed] = [epochsOf('missing'), epochsOf('unwitnessed')];
  const sentences = [
    ...(missing.length > 0
      ? [
          `The log lacks ${describeEpochs(missing)}, accepted by the witness: removed content or revoked access could return.`,
        ]
      : []),
    ...(unwitnessed.length > 0
      ? [
          `The witness lacks ${describeEpochs(unwitnessed)}, which the log has: the witness was rolled back or is another one, and cannot prove that the log is complete.`,
        ]
      : []),
  ];
  return sentences.join(' ');
}

function describeEpochs(epochs: readonly bigint[]): string {
  const most = epochs.length >= MAX_REPORTED_DIFFERENCES ? 'at least ' : '';
  const examples = epochs.slice(0, EXAMPLES).join(', ') + (epochs.length > EXAMPLES ? ', …' : '');
  return epochs.length === 1
    ? `restriction number ${examples}`
    : `${most}${epochs.length} restrictions (numbers ${examples})`;
}
