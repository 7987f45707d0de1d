import { createHash } from 'node:crypto';
import type { Connection, Sending } from '../load.js';

export const SCOPE = 'openid offline_access read post:create';

export interface Application {
  readonly clientId: string;
  readonly clientSecret: string;
  readonly redirectUri: string;
}

export const application: Application = {
  clientId: 'bench',
  clientSecret: 'a-secret-of-a-benchmark-with-32-characters',
  redirectUri: 'http://localhost:8910/callback',
};

/** PKCE; its cost does not depend on the value, so all codes share one verifier. */
const verifier = 'a'.repeat(43);
export const challenge = createHash('sha256').update(verifier).digest('base64url');

/** Token requests (RFC 6749, sections 2.3.1, 4.1.3 and 6). */
export class TokenRequests {
  private readonly headers: Sending['headers'];

  constructor(
    private readonly path: string,
    private readonly application: Application,
  ) {
    const { clientId, clientSecret } = application;
    this.headers = {
      authorization: `Basic ${Buffer.from(`${clientId}:${clientSecret}`).toString('base64')}`,
      'content-type': 'application/x-www-form-urlencoded',
    };
  }

  exchange(code: string): Sending {
    const redirect_uri = this.application.redirectUri;
    return this.send({ grant_type: 'authorization_code', code, redirect_uri, code_verifier: verifier });
  }

  refresh(token: string): Sending {
    return this.send({ grant_type: 'refresh_token', refresh_token: token });
  }

  chain(token: string): Connection {
    const next = (answer: string) =>
      this.refresh((JSON.parse(answer) as { refresh_token: string }).refresh_token);
    return { first: this.refresh(token), next };
  }

  private send(fields: Readonly<Record<string, string>>): Sending {
    const body = new URLSearchParams(fields).toString();
    return { path: this.path, method: 'POST', headers: this.headers, body };
  }
}

export function shared(requests: readonly Sending[], connections: number): Connection[] {
  return Array.from({ length: connections }, (_, n) => {
    const own = requests.filter((_request, index) => index % connections === n);
    const [first] = own;
    if (!first) throw new Error('fewer requests than connections');
    let at = 0;
    return { first, next: () => own[++at] };
  });
}
