import type { AuthenticationResponseJSON, RegistrationResponseJSON } from '@simplewebauthn/server';
import { z } from 'zod';
import { HttpRefusal } from '../errors.js';

const encoded = z.string().regex(/^[A-Za-z0-9_-]{1,32768}$/);
const credential = {
  id: encoded.max(1_400),
  rawId: encoded,
  type: z.literal('public-key'),
  clientExtensionResults: z.record(z.string(), z.unknown()),
  authenticatorAttachment: z.enum(['platform', 'cross-platform']).nullish(),
};

const registration = z.object({
  ...credential,
  response: z.object({
    clientDataJSON: encoded,
    attestationObject: encoded,
    transports: z
      .array(z.string().regex(/^[a-z-]{1,32}$/))
      .max(16)
      .optional(),
  }),
});

const authentication = z.object({
  ...credential,
  response: z.object({
    clientDataJSON: encoded,
    authenticatorData: encoded,
    signature: encoded,
    userHandle: encoded.nullish(),
  }),
});

/** WebAuthn's `PublicKeyCredential.toJSON()`. @throws {HttpRefusal} `invalid_request` */
export const parseRegistration = (answer: string): RegistrationResponseJSON =>
  parse(registration, answer) as unknown as RegistrationResponseJSON;

/** @throws {HttpRefusal} `invalid_request` */
export const parseAuthentication = (answer: string): AuthenticationResponseJSON =>
  parse(authentication, answer) as unknown as AuthenticationResponseJSON;

export const base64url = (bytes: Uint8Array): string => Buffer.from(bytes).toString('base64url');

function parse<Shape>(schema: z.ZodType<Shape>, answer: string): Shape {
  const { success, data } = schema.safeParse(jsonOf(answer));
  if (success) return data;
  throw new HttpRefusal('invalid_request', 'The browser sent no passkey. Load the page again.');
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
