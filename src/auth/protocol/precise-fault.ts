import { errors } from 'oidc-provider';
import type { KoaContextWithOIDC } from 'oidc-provider';
import { Fault } from './faults.js';

/** What jose and the library say of a signature that nobody here made. */
const notOurs = /^(ERR_JWS_SIGNATURE_VERIFICATION_FAILED|ERR_JWKS_NO_MATCHING_KEY|unsupported JWS algorithm)/;

/** The published word where the library has a wider one. Undefined: its own will do. */
export function preciseFault({ oidc, query }: KoaContextWithOIDC, error: unknown): Fault | undefined {
  if (error instanceof errors.RequestUriNotSupported && !isAbsolute(query['request_uri']))
    return new Fault(400, 'invalid_request_uri', 'request_uri is no absolute URI, and none is supported.');
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
  // RFC 6749, section 5.2: a parameter that is missing, where the library says that it does not match.
  if (error instanceof errors.InvalidGrant && lacksVerifier(oidc.params))
    return new Fault(400, 'invalid_request', 'code_verifier is missing.');
  if (!(error instanceof errors.InvalidRequest)) return undefined;
  const { cause } = error as Error;
  if (cause instanceof Error && notOurs.test('code' in cause ? String(cause.code) : cause.message))
    return new Fault(400, 'invalid_signature', 'id_token_hint was not signed here.');
  return undefined;
}

function isAbsolute(uri: unknown): boolean {
  return typeof uri === 'string' && URL.canParse(uri);
}

function lacksVerifier(params: KoaContextWithOIDC['oidc']['params']): boolean {
  return params?.['grant_type'] === 'authorization_code' && !params['code_verifier'];
}
