import type { DomainEvent, EventTime } from '../event.js';
import type { Role } from './roles.js';

type OperatorData = { readonly operatorId: string } & EventTime;

type TokenData = { readonly tokenId: string } & OperatorData;

/**
 * `invitationHash`: SHA-256 of the invitation code, in base64url. `needsConfirmation`: the limited shared token
 * invited, so an administrator must confirm it.
 */
export type OperatorInvited = DomainEvent<
  'operator.invited',
  {
    readonly name: string;
    readonly roles: readonly Role[];
    readonly invitationHash: string;
    readonly expiresAt: number;
    readonly needsConfirmation: boolean;
  } & OperatorData
>;

/**
 * The name of this stream's digest is the operator's, if they are invited or reinstated next after `revision` of their own
 * stream; -1: before its first event.
 */
export type OperatorNameReserved = DomainEvent<
  'operator.name_reserved',
  { readonly revision: number } & OperatorData
>;

export type OperatorConfirmed = DomainEvent<'operator.confirmed', OperatorData>;

/** The invited person used the invitation code. */
export type OperatorEnrolled = DomainEvent<'operator.enrolled', OperatorData>;

/** All roles from now on. */
export type OperatorRolesChanged = DomainEvent<
  'operator.roles_changed',
  { readonly roles: readonly Role[] } & OperatorData
>;

export type OperatorSuspended = DomainEvent<'operator.suspended', OperatorData>;

export type OperatorReinstated = DomainEvent<'operator.reinstated', OperatorData>;

/** `tokenHash`: SHA-256 of the personal token, in base64url. `label`: the operator's name for it. */
export type OperatorTokenIssued = DomainEvent<
  'operator.token_issued',
  { readonly tokenHash: string; readonly label: string; readonly expiresAt: number } & TokenData
>;

export type OperatorTokenRevoked = DomainEvent<'operator.token_revoked', TokenData>;

type PasskeyData = { readonly passkeyId: string } & OperatorData;

/**
 * `credentialId` and `publicKey` (COSE, RFC 9052): base64url. `transports`: as the browser named them. `label`: the
 * operator's name for it.
 */
export type OperatorPasskeyRegistered = DomainEvent<
  'operator.passkey_registered',
  {
    readonly credentialId: string;
    readonly publicKey: string;
    readonly transports: readonly string[];
    readonly label: string;
  } & PasskeyData
>;

export type OperatorPasskeyRemoved = DomainEvent<'operator.passkey_removed', PasskeyData>;

export type OperatorSignedIn = DomainEvent<'operator.signed_in', PasskeyData>;

/** Ends every session of the operator that began before. */
export type OperatorSignedOut = DomainEvent<'operator.signed_out', OperatorData>;

/**
 * An operator was shown the personal texts of an event. `actorId`: the person whose key encrypts them. `postId`: of the
 * event, if it is about a post.
 */
export type TextDisclosed = DomainEvent<
  'text.disclosed',
  { readonly eventId: string; readonly actorId: string; readonly postId?: string | undefined } & OperatorData
>;

/** A {@link LookRecorded} of an earlier release. */
export type DossierOpened = DomainEvent<
  'dossier.opened',
  {
    readonly actorId?: string | undefined;
    readonly appId?: string | undefined;
    readonly grantId?: string | undefined;
    readonly postId?: string | undefined;
  } & OperatorData
>;

/** A {@link LookRecorded} of an earlier release. */
export type AsOfOpened = DomainEvent<
  'as_of.opened',
  { readonly actorId: string; readonly position: string } & OperatorData
>;

/**
 * An operator is about to be shown what the network has about a subject, for the first time in an hour of UTC. The ids name
 * the subject; without one the operator reads everything. `eventId`: the subject is the request of this event, and `actorId`
 * the person who sent it. `position` (decimal digits): what the actor would have seen as of it.
 */
export type LookRecorded = DomainEvent<
  'look.recorded',
  {
    readonly actorId?: string | undefined;
    readonly appId?: string | undefined;
    readonly grantId?: string | undefined;
    readonly postId?: string | undefined;
    readonly eventId?: string | undefined;
    readonly position?: string | undefined;
  } & OperatorData
>;
