import type { ServerResponse } from 'node:http';

const codes = new WeakMap<ServerResponse, string>();

/** Keeps the published error code of an answer for `plaza_refusals_total`: bodies have it in different formats. */
export function setRefusalCode(response: ServerResponse, code: string): void {
  codes.set(response, code);
}

/** The published error code of an answer. Undefined: it refuses nothing. */
export function refusalCodeOf(response: ServerResponse): string | undefined {
  return codes.get(response);
}
