import type { ServerResponse } from 'node:http';

const codes = new WeakMap<ServerResponse, string>();

/** Notes the published code of an answer, which its body has in one of several formats. */
export function setRefusalCode(response: ServerResponse, code: string): void {
  codes.set(response, code);
}

/** Undefined: the answer refuses nothing. */
export function refusalCodeOf(response: ServerResponse): string | undefined {
  return codes.get(response);
}
