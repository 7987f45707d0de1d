/** Bodies and queries that the command line sends to the operator API. */

export interface ApplicationAnswer {
  readonly name: string;
  readonly redirectUris: readonly string[];
  readonly postLogoutRedirectUris?: readonly string[] | undefined;
  readonly scopes: readonly string[];
}

export interface AccountAnswer {
  readonly handle: string;
  readonly displayName: string;
  readonly email: string;
  readonly password: string;
}

/** `validMs`: milliseconds until it expires. Undefined: the server's default. */
export interface TokenWish {
  readonly label?: string | undefined;
  readonly validMs?: number | undefined;
}

/** Times as the audit's search takes them. */
export type BatchPlan =
  | { readonly kind: 'posts'; readonly appId: string; readonly from: string; readonly until: string }
  | { readonly kind: 'accounts'; readonly actorIds: readonly string[] };

/** As a data set has it: see src/log/encryption.ts. */
export interface Ciphertext {
  readonly eventId: string;
  readonly type: string;
  readonly keyId: string;
  readonly box: string;
}

/** `q`: terms of the search (src/operator/audit/search-query.ts). */
export interface AuditQuestion {
  readonly q: string;
  readonly limit?: number | undefined;
  readonly texts: boolean;
}
