import { Fault } from './faults.js';
import { decode, MOST_PARAMETERS } from './form.js';

/** Those that the library looks at (its consts/param_list.js), and those that it is told of (extra-params.ts). */
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

/** Characters, as sent: all of it is kept until the person has answered. */
const LONGEST_QUERY = 4_096;

/**
 * The query of an authorization request, as the library is to read it.
 * - The published flow sends a nonce with every request (network-api.md, "Authorization code flow", step 3). It binds an
 *   ID token: without the scope `openid` it has nothing to bind, and the library would refuse it.
 * - Answers come in the query and in no other way: the library knows more, and would already send an error by them.
 *
 * What it knows and is there twice stays so: the library refuses that, and knows where the browser may be sent back to.
 * Of any other parameter it would not notice (RFC 6749, section 3.1: none may be there twice).
 * @throws {Fault} `invalid_request`
 */
export function authorizationQuery(query: string): string {
  if (query.length > LONGEST_QUERY)
    throw new Fault(400, 'invalid_request', `The query has more than ${LONGEST_QUERY} characters.`);
  decode(query);
  const parameters = new URLSearchParams(query);
  if (parameters.size > MOST_PARAMETERS)
    throw new Fault(400, 'invalid_request', 'There are too many parameters.');
  const unknown = [...parameters.keys()].filter((name) => !known.has(name));
  if (new Set(unknown).size < unknown.length)
    throw new Fault(400, 'invalid_request', 'A parameter is there twice.');
  const identifies = parameters.getAll('scope').some((scope) => scope.split(' ').includes('openid'));
  if (!identifies && parameters.getAll('nonce').length === 1) parameters.delete('nonce');
  if (parameters.getAll('response_mode').some((mode) => mode !== 'query'))
    parameters.set('response_mode', 'unsupported');
  return parameters.toString();
}
