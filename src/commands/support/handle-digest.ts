import { createHmac, randomBytes } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { NetworkSecrets } from '../../log/vault/network-secrets.js';

/**
 * Keyed digests for lookup without reading: names of handle streams, and identities that derive from personal data.
 * HMAC-SHA-256 under a secret of the network, because handles are few enough to enumerate.
 */
@Injectable()
export class HandleDigest {
  private secret: Buffer | undefined;

  constructor(private readonly secrets: NetworkSecrets) {}

  async ofHandle(handle: string): Promise<string> {
    return this.digest('handle', handle);
  }

  async actorOf(registration: string): Promise<string> {
    return (await this.digest('actor', registration)).slice(0, 22);
  }

  private async digest(kind: string, text: string): Promise<string> {
    this.secret ??= await this.secrets.get('handle-digest', () => randomBytes(32));
    return createHmac('sha256', this.secret).update(`${kind}:${text}`).digest('base64url');
  }
}
