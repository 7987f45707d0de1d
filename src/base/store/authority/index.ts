import { CreateAuthority1763680000000 } from '../migrations/1763680000000-authority.js';
import { AddLifecycle1763710000000 } from '../migrations/1763710000000-lifecycle.js';
import { IndexLiveGrants1763730000000 } from '../migrations/1763730000000-live-grants.js';
import { IndexGrantsByAge1763740000000 } from '../migrations/1763740000000-grants-by-age.js';
import { CreatePublishing1763750000000 } from '../migrations/1763750000000-publishing.js';
import { AddAccountProfiles1763770000000 } from '../migrations/1763770000000-account-profiles.js';
import { AddErasures1763830000000 } from '../migrations/1763830000000-erasures.js';
import { CreateDeriving1763850000000 } from '../migrations/1763850000000-deriving.js';
import { CreateOperators1763880000000 } from '../migrations/1763880000000-operators.js';
import { CreateRegistration1763890000000 } from '../migrations/1763890000000-registration.js';
import { CreateBatches1763891000000 } from '../migrations/1763891000000-batches.js';
import { CreatePasskeys1763895000000 } from '../migrations/1763895000000-passkeys.js';
import { CreateApprovals1763897000000 } from '../migrations/1763897000000-approvals.js';
import { CreateKnownBrowsers1763900000000 } from '../migrations/1763900000000-known-browsers.js';
import { CreateRewrites1763901000000 } from '../migrations/1763901000000-rewrites.js';
import { AddApplicationChanges1763903000000 } from '../migrations/1763903000000-application-changes.js';
import { CreateAddresses1763905000000 } from '../migrations/1763905000000-addresses.js';
import { AddFactors1763906000000 } from '../migrations/1763906000000-factors.js';
import { AddOperatorLinks1763908000000 } from '../migrations/1763908000000-operator-links.js';
import { AccountRow } from './account.row.js';
import { AppGrantRow } from './app-grant.row.js';
import { ApplicationRow } from './application.row.js';
import { ClientSecretRow } from './client-secret.row.js';
import { CredentialRow } from './credential.row.js';
import { OidcRecordRow } from './oidc-record.row.js';

export const authorityEntities = [
  AccountRow,
  CredentialRow,
  ApplicationRow,
  ClientSecretRow,
  AppGrantRow,
  OidcRecordRow,
];

export const authorityMigrations = [
  CreateAuthority1763680000000,
  AddLifecycle1763710000000,
  IndexLiveGrants1763730000000,
  IndexGrantsByAge1763740000000,
  CreatePublishing1763750000000,
  AddAccountProfiles1763770000000,
  AddErasures1763830000000,
  CreateDeriving1763850000000,
  CreateOperators1763880000000,
  CreateRegistration1763890000000,
  CreateBatches1763891000000,
  CreatePasskeys1763895000000,
  CreateApprovals1763897000000,
  CreateKnownBrowsers1763900000000,
  CreateRewrites1763901000000,
  AddApplicationChanges1763903000000,
  CreateAddresses1763905000000,
  AddFactors1763906000000,
  AddOperatorLinks1763908000000,
];
