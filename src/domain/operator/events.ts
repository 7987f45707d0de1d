import { z } from 'zod';
import { clear, event, id, inData, omitted, personal, pseudonym, time } from '../event.js';
import type { EventIn } from '../event.js';
import { roles } from './roles.js';

/** Exported rows of operators do not say which one: `by_operator` is all. */
const operator = { operatorId: omitted(id) };
const ofOperator = event(operator);
const token = { ...operator, tokenId: omitted(id) };
const passkey = { ...operator, passkeyId: omitted(id) };
const ofPasskey = event(passkey);
const base64url = z.string().regex(/^[A-Za-z0-9_-]{1,4096}$/);
const position = z.string().regex(/^\d{1,18}$/);
const operatorRoles = inData(z.array(z.enum(roles)));
const subject = {
  actorId: pseudonym(id.optional()),
  appId: clear(id.optional()),
  grantId: pseudonym(id.optional()),
  postId: pseudonym(id.optional()),
};
const person = 'operatorId';

export const operatorEvents = {
  /**
   * `invitationHash`: SHA-256 of the invitation code, in base64url. `needsConfirmation`: the limited shared token
   * invited, so an administrator must confirm it.
   */
  'operator.invited': event(
    {
      ...operator,
      name: personal(z.string(), ''),
      roles: operatorRoles,
      invitationHash: omitted(id),
      expiresAt: omitted(time),
      needsConfirmation: inData(z.boolean()),
    },
    { person },
  ),
  /**
   * The name of this stream's digest is the operator's, if they are invited or reinstated next after `revision` of their own
   * stream; -1: before its first event.
   */
  'operator.name_reserved': event({ ...operator, revision: omitted(z.int().min(-1)) }),
  'operator.confirmed': ofOperator,
  /** The invited person used the invitation code. */
  'operator.enrolled': ofOperator,
  /** All roles from now on. */
  'operator.roles_changed': event({ ...operator, roles: operatorRoles }),
  'operator.suspended': ofOperator,
  'operator.reinstated': ofOperator,
  /** `tokenHash`: SHA-256 of the personal token, in base64url. `label`: the operator's name for it. */
  'operator.token_issued': event(
    { ...token, tokenHash: omitted(id), label: personal(z.string(), ''), expiresAt: omitted(time) },
    { person },
  ),
  'operator.token_revoked': event(token),
  /**
   * `credentialId` and `publicKey` (COSE, RFC 9052): base64url. `transports`: as the browser named them. `label`: the
   * operator's name for it.
   */
  'operator.passkey_registered': event(
    {
      ...passkey,
      credentialId: omitted(base64url),
      publicKey: omitted(base64url),
      transports: omitted(z.array(z.string())),
      label: personal(z.string(), ''),
    },
    { person },
  ),
  'operator.passkey_removed': ofPasskey,
  'operator.signed_in': ofPasskey,
  /** Ends every session of the operator that began before. */
  'operator.signed_out': ofOperator,
  /**
   * An operator was shown the personal texts of an event. `actorId`: the person whose key encrypts them. `postId`: of the
   * event, if it is about a post.
   */
  'text.disclosed': event({
    ...operator,
    eventId: omitted(id),
    actorId: pseudonym(id),
    postId: pseudonym(id.optional()),
  }),
  /** A {@link LookRecorded} of an earlier release. */
  'dossier.opened': event({ ...operator, ...subject }),
  /** A {@link LookRecorded} of an earlier release. */
  'as_of.opened': event({ ...operator, actorId: pseudonym(id), position: inData(position) }),
  /**
   * An operator is about to be shown what the network has about a subject, for the first time in an hour of UTC. The ids name
   * the subject; without one the operator reads everything. `eventId`: the subject is the request of this event, and `actorId`
   * the person who sent it. `position` (decimal digits): what the actor would have seen as of it.
   */
  'look.recorded': event({
    ...operator,
    ...subject,
    eventId: omitted(id.optional()),
    position: inData(position.optional()),
  }),
};

export type OperatorInvited = EventIn<typeof operatorEvents, 'operator.invited'>;
export type OperatorNameReserved = EventIn<typeof operatorEvents, 'operator.name_reserved'>;
export type OperatorConfirmed = EventIn<typeof operatorEvents, 'operator.confirmed'>;
export type OperatorEnrolled = EventIn<typeof operatorEvents, 'operator.enrolled'>;
export type OperatorRolesChanged = EventIn<typeof operatorEvents, 'operator.roles_changed'>;
export type OperatorSuspended = EventIn<typeof operatorEvents, 'operator.suspended'>;
export type OperatorReinstated = EventIn<typeof operatorEvents, 'operator.reinstated'>;
export type OperatorTokenIssued = EventIn<typeof operatorEvents, 'operator.token_issued'>;
export type OperatorTokenRevoked = EventIn<typeof operatorEvents, 'operator.token_revoked'>;
export type OperatorPasskeyRegistered = EventIn<typeof operatorEvents, 'operator.passkey_registered'>;
export type OperatorPasskeyRemoved = EventIn<typeof operatorEvents, 'operator.passkey_removed'>;
export type OperatorSignedIn = EventIn<typeof operatorEvents, 'operator.signed_in'>;
export type OperatorSignedOut = EventIn<typeof operatorEvents, 'operator.signed_out'>;
export type TextDisclosed = EventIn<typeof operatorEvents, 'text.disclosed'>;
export type LookRecorded = EventIn<typeof operatorEvents, 'look.recorded'>;
