import { Failure } from '../../base/terminal/failure.js';
import { jsonRequest } from '../../operator/client/json-request.js';

/** @throws {Failure} the request was refused. */
export type Call = <Answer>(
  method: 'GET' | 'POST' | 'PUT' | 'PATCH',
  path: string,
  body?: object,
) => Promise<Answer>;

/** Calls of the API by the person of this access token. `heard` is called with each answer. */
export function api(baseUrl: string, token: string, heard: (step: string) => void = () => undefined): Call {
  return async <Answer>(method: string, path: string, body?: object): Promise<Answer> => {
    const headers = { authorization: `Bearer ${token}` };
    const response = await fetch(baseUrl + path, jsonRequest(method, headers, body));
    heard(`${method} ${path} → ${response.status}`);
    const answer: unknown = await response.json();
    if (response.ok) return answer as Answer;
    throw new Failure(`${method} ${path} was refused with ${response.status}: ${JSON.stringify(answer)}`);
  };
}
