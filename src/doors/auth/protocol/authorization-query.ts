import { Fault } from '../rules/faults.js';
import { decode, MAX_REQUEST_PARAMETERS } from '../rules/form.js';

const known: ReadonlySet<string> = new Set([
  'acr_values',
  'claims_locales',
  'client_id',
  'code_challenge',
  'code_challenge_method',
  'display',
  'id_token_hint',
  'login_hint',
  'max_age',
  'nonce',
  'prompt',
  'redirect_uri',
  'registration',
  'request',
  'request_uri',
  'resource',
  'response_mode',
  'response_type',
  'scope',
  'state',
  'ui_locales',
]);

const MAX_QUERY_LENGTH = 4_096;

/**
 * Returns the query of an authorization request, changed for the library:
 * - A nonce without the scope `openid` is dropped. The published flow sends a nonce with every request (network-api.md,
 *   "Authorization code flow", step 3), and the library refuses one that binds no ID token.
 * - A response mode other than `query` becomes `unsupported`. The library would already send the error in that mode.
 *
 * No parameter may be repeated (RFC 6749, section 3.1). The library refuses known ones, and can redirect the error;
 * unknown ones are refused here. The query is stored until the person answers, so its length has a limit.
 * @throws {Fault} `invalid_request`
 */
export function authorizationQuery(query: string): string {
  if (query.length > MAX_QUERY_LENGTH)
    throw new Fault(
      400,
      'invalid_request',
      `The query has more than ${MAX_QUERY_LENGTH} characters; shorten it.`,
    );
  decode(query);
  const parameters = new URLSearchParams(query);
  if (parameters.size > MAX_REQUEST_PARAMETERS)
    throw new Fault(400, 'invalid_request', `Too many parameters: send at most ${MAX_REQUEST_PARAMETERS}.`);
  const unknown = [...parameters.keys()].filter((name) => !known.has(name));
  if (new Set(unknown).size < unknown.length)
    throw new Fault(400, 'invalid_request', 'A parameter is repeated; send each parameter once.');
  const asksForIdToken = parameters.getAll('scope').some((scope) => scope.split(' ').includes('openid'));
  if (!asksForIdToken && parameters.getAll('nonce').length === 1) parameters.delete('nonce');
  if (parameters.getAll('response_mode').some((mode) => mode !== 'query'))
    parameters.set('response_mode', 'unsupported');
  return parameters.toString();
}
