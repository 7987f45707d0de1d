import { createHmac, randomBytes } from 'node:crypto';
import { NetworkSecrets } from '../../log/vault/network-secrets.js';

/**
 * Keyed digests of what must be found again but not be read: names of handle streams, and identities that derive from
 * personal data. HMAC-SHA-256 under a secret of the network, since handles are few enough to try them all.
 */
export class HandleDigest {
  private secret: Buffer | undefined;

  constructor(private readonly secrets: NetworkSecrets) {}

  /** 43 URL-safe characters, one and the same for a handle for as long as the network lives. */
  async ofHandle(handle: string): Promise<string> {
    return this.digest('handle', handle);
  }

  /** The account that a registration makes, however often it is tried: 22 URL-safe characters. */
  async actorOf(registration: string): Promise<string> {
    return (await this.digest('actor', registration)).slice(0, 22);
  }

  private async digest(kind: string, text: string): Promise<string> {
    this.secret ??= await this.secrets.get('handle-digest', () => randomBytes(32));
    return createHmac('sha256', this.secret).update(`${kind}:${text}`).digest('base64url');
  }
}
