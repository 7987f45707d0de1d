import { Fault } from './faults.js';
import { decode } from './form.js';

/** The library reads a thousand and looks at no more. */
const MOST_PARAMETERS = 100;

/**
 * The query of an authorization request, as the library is to read it.
 * - The published flow sends a nonce with every request (network-api.md, "Authorization code flow", step 3). It binds an
 *   ID token: without the scope `openid` it has nothing to bind, and the library would refuse it.
 * - Answers come in the query and in no other way: the library knows more, and would already send an error by them.
 *
 * What is there twice stays so: the library refuses that, and knows where the browser may be sent back to.
 * @throws {Fault} `invalid_request`
 */
export function authorizationQuery(query: string): string {
  decode(query);
  const parameters = new URLSearchParams(query);
  if (parameters.size > MOST_PARAMETERS)
    throw new Fault(400, 'invalid_request', 'There are too many parameters.');
  const identifies = parameters.getAll('scope').some((scope) => scope.split(' ').includes('openid'));
  if (!identifies && parameters.getAll('nonce').length === 1) parameters.delete('nonce');
  if (parameters.getAll('response_mode').some((mode) => mode !== 'query'))
    parameters.set('response_mode', 'unsupported');
  return parameters.toString();
}
