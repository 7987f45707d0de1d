import { Fault } from '../rules/faults.js';
import type { Form } from '../rules/form.js';
import { clientAuthenticationFault, secondAuthenticationFault } from './validate-request.js';
import { isOwnResource } from '../rules/resource.js';
import { clientAuthenticatedEndpoints, routes } from '../rules/routes.js';

const otherCredentials = ['client_secret', 'client_assertion', 'client_assertion_type'];

/**
 * Returns why a form of an application is refused: a second way to authenticate (RFC 6749, section 2.3), the identifier
 * of another client, or another resource. Undefined: acceptable. A parameter without a value is absent (section 3.2).
 */
export function validateForm(
  path: string,
  form: Form,
  clientId: string | undefined,
  baseUrl: string,
): Fault | undefined {
  if (!clientAuthenticatedEndpoints.has(path)) return undefined;
  if (otherCredentials.some((name) => form.get(name))) return secondAuthenticationFault();
  const named = form.get('client_id');
  if (named && named !== clientId) return clientAuthenticationFault();
  const resource = form.get('resource');
  if (path === routes.token && resource && !isOwnResource(resource, baseUrl))
    return new Fault(400, 'invalid_target', `The only resource is ${baseUrl}.`);
  return undefined;
}
