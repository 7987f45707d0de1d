/** Where witness and log disagree. */
export type Difference =
  /** Accepted by the witness, and not in the log: what it took away would be there again. */
  | { readonly kind: 'missing'; readonly epoch: bigint }
  /** In the log, with a number of the witness, which does not know it: it was set back or is another one. */
  | { readonly kind: 'unwitnessed'; readonly epoch: bigint };

/** Enough to know that there is something; `recovery plan` lists all. */
export const MOST_TOLD = 100;
const EXAMPLES = 5;

/** Why protected reads must be refused, in words for an operator; undefined: there is no difference. */
export function reasonOf(found: readonly Difference[]): string | undefined {
  if (found.length === 0) return undefined;
  const epochsOf = (wanted: Difference['kind']) =>
    found.flatMap(({ kind, epoch }) => (kind === wanted ? [epoch] : []));
  const [missing, unwitnessed] = [epochsOf('missing'), epochsOf('unwitnessed')];
  const sentences = [
    ...(missing.length > 0
      ? [
          `The log lacks ${counted(missing)}, accepted by the witness: what was taken away would be there again.`,
        ]
      : []),
    ...(unwitnessed.length > 0
      ? [
          `The witness lacks ${counted(unwitnessed)}, which the log has: it was set back or is another one, and cannot prove that the log has everything.`,
        ]
      : []),
  ];
  return sentences.join(' ');
}

function counted(epochs: readonly bigint[]): string {
  const most = epochs.length >= MOST_TOLD ? 'at least ' : '';
  const listed = epochs.slice(0, EXAMPLES).join(', ') + (epochs.length > EXAMPLES ? ', …' : '');
  return epochs.length === 1
    ? `restriction number ${listed}`
    : `${most}${epochs.length} restrictions (numbers ${listed})`;
}
