import type { KoaContextWithOIDC, Provider } from 'oidc-provider';

/** A step around everything that the library does for a request. */
export type Middleware = Parameters<Provider['use']>[0];

/** The context as the library fills it in, for which the type of its middleware has no name. */
export function oidcContext(context: Parameters<Middleware>[0]): KoaContextWithOIDC {
  return context as unknown as KoaContextWithOIDC;
}
