import type { KoaContextWithOIDC, Provider } from 'oidc-provider';

export type Middleware = Parameters<Provider['use']>[0];

export function oidcContext(context: Parameters<Middleware>[0]): KoaContextWithOIDC {
  return context as unknown as KoaContextWithOIDC;
}
