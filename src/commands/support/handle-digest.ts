import { createHmac, randomBytes } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { NetworkSecrets } from '../../log/vault/network-secrets.js';

/**
 * Keyed digests that do not reveal their text: names of the streams of handles and of operators' names, proofs of verified
 * addresses, and actor ids that derive from registration keys. HMAC-SHA-256 under a secret of the network, because handles are few enough to try them all.
 */
@Injectable()
export class HandleDigest {
  private secret: Buffer | undefined;

  constructor(private readonly secrets: NetworkSecrets) {}

  async ofHandle(handle: string): Promise<string> {
    return this.digest('handle', handle);
  }

  /** `key`: of {@link operatorNameKey}. */
  async ofOperatorName(key: string): Promise<string> {
    return this.digest('operator-name', key);
  }

  /** `key`: of {@link mailboxOf}. */
  async ofAddress(key: string): Promise<string> {
    return this.digest('address', key);
  }

  async actorOf(registration: string): Promise<string> {
    return (await this.digest('actor', registration)).slice(0, 22);
  }

  private async digest(kind: string, text: string): Promise<string> {
    this.secret ??= await this.secrets.get('handle-digest', () => randomBytes(32));
    return createHmac('sha256', this.secret).update(`${kind}:${text}`).digest('base64url');
  }
}
