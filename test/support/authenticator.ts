import { createHash, generateKeyPairSync, randomBytes, sign } from 'node:crypto';

interface Creation {
  readonly challenge: string;
  readonly user?: { readonly id: string };
}

/** A passkey in software: answers the questions of WebAuthn as a browser with an authenticator does. */
export class Authenticator {
  private readonly keys = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  readonly credentialId = randomBytes(32).toString('base64url');
  private counter = 0;
  /** As the site gave it, base64url. A test may set another one. */
  userHandle: string | undefined;

  /** @param origin as the browser would see it */
  constructor(public origin: string) {}

  /** JSON of the credential that `navigator.credentials.create()` returns for these options. */
  create({ challenge, user }: Creation): string {
    this.userHandle = user?.id;
    const id = Buffer.from(this.credentialId, 'base64url');
    const attested = [Buffer.alloc(16), Buffer.from([0, id.length]), id, this.coseKey()];
    // User present, user verified, attested credential data.
    const data = this.data(0x45, ...attested);
    const attestation = Buffer.concat([
      Buffer.from([0xa3]),
      textItem('fmt'),
      textItem('none'),
      textItem('attStmt'),
      Buffer.from([0xa0]),
      textItem('authData'),
      Buffer.from([0x59, data.length >> 8, data.length & 0xff]),
      data,
    ]);
    return this.credential({
      clientDataJSON: this.clientData('webauthn.create', challenge).toString('base64url'),
      attestationObject: attestation.toString('base64url'),
      transports: ['internal'],
    });
  }

  /** JSON of the credential that `navigator.credentials.get()` returns. `isVerified`: the person showed a PIN or finger. */
  get({ challenge }: { readonly challenge: string }, { isVerified = true } = {}): string {
    this.counter += 1;
    const data = this.data(isVerified ? 0x05 : 0x01);
    const client = this.clientData('webauthn.get', challenge);
    const signature = sign('sha256', Buffer.concat([data, sha256(client)]), this.keys.privateKey);
    return this.credential({
      clientDataJSON: client.toString('base64url'),
      authenticatorData: data.toString('base64url'),
      signature: signature.toString('base64url'),
      ...(this.userHandle !== undefined && { userHandle: this.userHandle }),
    });
  }

  private credential(response: object): string {
    const { credentialId: id } = this;
    return JSON.stringify({ id, rawId: id, type: 'public-key', response, clientExtensionResults: {} });
  }

  private clientData(type: string, challenge: string): Buffer {
    return Buffer.from(JSON.stringify({ type, challenge, origin: this.origin, crossOrigin: false }));
  }

  private data(flags: number, ...attested: Buffer[]): Buffer {
    const counter = Buffer.alloc(4);
    counter.writeUInt32BE(this.counter);
    return Buffer.concat([sha256(new URL(this.origin).hostname), Buffer.from([flags]), counter, ...attested]);
  }

  /** COSE_Key of ES256 in CBOR: 1 (kty) 2, 3 (alg) -7, -1 (crv) 1, -2 x, -3 y. */
  private coseKey(): Buffer {
    const { x = '', y = '' } = this.keys.publicKey.export({ format: 'jwk' });
    return Buffer.concat([
      Buffer.from([0xa5, 0x01, 0x02, 0x03, 0x26, 0x20, 0x01, 0x21, 0x58, 0x20]),
      Buffer.from(x, 'base64url'),
      Buffer.from([0x22, 0x58, 0x20]),
      Buffer.from(y, 'base64url'),
    ]);
  }
}

const textItem = (text: string): Buffer =>
  Buffer.concat([Buffer.from([0x60 + text.length]), Buffer.from(text)]);

const sha256 = (data: string | Buffer): Buffer => createHash('sha256').update(data).digest();
