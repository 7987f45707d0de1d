import { errors } from 'oidc-provider';
import type { KoaContextWithOIDC } from 'oidc-provider';
import { Fault } from '../rules/faults.js';

const foreignSignature =
  /^(ERR_JWS_SIGNATURE_VERIFICATION_FAILED|ERR_JWKS_NO_MATCHING_KEY|unsupported JWS algorithm)/;

/** Characters of the scopes that an error names: it is in the address of a redirect, which has limits. */
const NAMED_SCOPES_MAX = 200;

export function preciseFault({ oidc, query }: KoaContextWithOIDC, error: unknown): Fault | undefined {
  if (error instanceof errors.RequestUriNotSupported && !isAbsolute(query['request_uri']))
    return new Fault(
      400,
      'invalid_request_uri',
      'request_uri is not an absolute URI, and is not supported: send each parameter.',
    );
  if (error instanceof errors.RequestUriNotSupported)
    return new Fault(400, 'request_uri_not_supported', 'request_uri is not supported: send each parameter.');
  if (error instanceof errors.RequestNotSupported)
    return new Fault(400, 'request_not_supported', 'request is not supported: send each parameter.');
  if (error instanceof errors.RegistrationNotSupported)
    return new Fault(
      400,
      'invalid_request',
      'registration is not supported: operators register applications.',
    );
  if (error instanceof errors.InvalidScope && namesScope(error))
    return new Fault(
      400,
      'invalid_scope',
      `${error.error_description}: ${error.scope.slice(0, NAMED_SCOPES_MAX)}`,
    );
  // RFC 6749, section 5.2: the parameter is missing; the library calls it a mismatch.
  if (error instanceof errors.InvalidGrant && lacksVerifier(oidc.params))
    return new Fault(400, 'invalid_request', 'code_verifier is missing.');
  if (!(error instanceof errors.InvalidRequest)) return undefined;
  const { cause } = error as Error;
  if (cause instanceof Error && foreignSignature.test('code' in cause ? String(cause.code) : cause.message))
    return new Fault(400, 'invalid_signature', 'id_token_hint was not signed by this network.');
  return undefined;
}

const namesScope = (error: object): error is { readonly scope: string } =>
  'scope' in error && typeof error.scope === 'string' && error.scope !== '';

function isAbsolute(uri: unknown): boolean {
  return typeof uri === 'string' && URL.canParse(uri);
}

function lacksVerifier(params: KoaContextWithOIDC['oidc']['params']): boolean {
  return params?.['grant_type'] === 'authorization_code' && !params['code_verifier'];
}
