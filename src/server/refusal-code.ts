import type { ServerResponse } from 'node:http';

/** Labels of `plaza_refusals_total`. */
export interface RefusalLabels {
  /** The published code. */
  readonly code: string;
  /** If a refused write was stored nevertheless; only with `domain_storage_unavailable`. */
  readonly written?: 'no' | 'yes' | 'unknown';
}

const refusals = new WeakMap<ServerResponse, RefusalLabels>();

/** Keeps what `plaza_refusals_total` counts of an answer: bodies have the code in different formats. */
export function setRefusalCode(
  response: ServerResponse,
  code: string,
  written?: RefusalLabels['written'],
): void {
  refusals.set(response, { code, ...(written && { written }) });
}

/** Undefined: the answer refuses nothing. */
export function refusalLabelsOf(response: ServerResponse): RefusalLabels | undefined {
  return refusals.get(response);
}
