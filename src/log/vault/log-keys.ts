import { createPrivateKey, generateKeyPairSync, sign } from 'node:crypto';
import { z } from 'zod';
import { verifierKey } from '../transparency/signed-note.js';
import type { NoteSigner } from '../transparency/signed-note.js';
import type { NetworkSecrets } from './network-secrets.js';

const jwk = z.strictObject({
  kty: z.literal('OKP'),
  crv: z.literal('Ed25519'),
  d: z.base64url(),
  x: z.base64url(),
});

/** All keys sign. During a rotation there are two, so that a verifier may know either. */
const storedKeys = z.strictObject({ keys: z.array(jwk).min(1) });

/** The keys that sign what an auditor verifies. `verifierKeys`: in the form that a verifier takes. */
export class LogKeys {
  constructor(readonly signers: readonly NoteSigner[]) {}

  get verifierKeys(): readonly string[] {
    return this.signers.map(verifierKey);
  }
}

/**
 * Loads the keys from the vault. The first process of a network makes one. `origin`: the name that the keys have in
 * notes.
 * @throws {Error} the stored keys are invalid; the message reveals none of them.
 */
export async function loadLogKeys(secrets: Pick<NetworkSecrets, 'get'>, origin: string): Promise<LogKeys> {
  const { success, data } = storedKeys.safeParse(parsed(await secrets.get('log-keys', newKeys)));
  if (!success)
    throw new Error('the log keys in the vault are invalid; expected a JSON object with Ed25519 keys');
  return new LogKeys(data.keys.map((key) => signerOf(key, origin)));
}

function newKeys(): Buffer {
  const { privateKey } = generateKeyPairSync('ed25519');
  return Buffer.from(JSON.stringify({ keys: [privateKey.export({ format: 'jwk' })] }));
}

/** Undefined: it is no JSON. The message of `JSON.parse` would quote the secret. */
function parsed(stored: Buffer): unknown {
  try {
    return JSON.parse(stored.toString('utf8'));
  } catch {
    return undefined;
  }
}

function signerOf(key: z.infer<typeof jwk>, name: string): NoteSigner {
  const privateKey = createPrivateKey({ key, format: 'jwk' });
  return {
    name,
    publicKey: Buffer.from(key.x, 'base64url'),
    sign: (text) => sign(null, text, privateKey),
  };
}
