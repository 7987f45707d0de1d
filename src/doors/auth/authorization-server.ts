import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Provider } from 'oidc-provider';

/** The authorization server of this process. Read `provider` anew for each use: changed signing keys replace it. */
export class AuthorizationServer {
  private current: { readonly provider: Provider; readonly answer: ReturnType<Provider['callback']> };

  constructor(provider: Provider) {
    this.current = { provider, answer: provider.callback() };
  }

  get provider(): Provider {
    return this.current.provider;
  }

  /** The new provider answers from the next request on; pending requests end with the old one. */
  replaceProvider(provider: Provider): void {
    this.current = { provider, answer: provider.callback() };
  }

  handle(request: IncomingMessage, response: ServerResponse): void {
    void this.current.answer(request, response);
  }
}
