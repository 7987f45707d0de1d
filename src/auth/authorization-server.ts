import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Provider } from 'oidc-provider';

/** The authorization server of this process. Whoever needs the library asks here each time, and never keeps it. */
export class AuthorizationServer {
  private current: { readonly provider: Provider; readonly answer: ReturnType<Provider['callback']> };

  constructor(provider: Provider) {
    this.current = { provider, answer: provider.callback() };
  }

  /** As it is set up now. */
  get provider(): Provider {
    return this.current.provider;
  }

  /** Another set-up (other signing keys, say) answers from the next request on; those under way end as they began. */
  become(provider: Provider): void {
    this.current = { provider, answer: provider.callback() };
  }

  /** Answers a request, whatever happens. */
  handle(request: IncomingMessage, response: ServerResponse): void {
    void this.current.answer(request, response);
  }
}
