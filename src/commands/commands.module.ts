import { Module } from '@nestjs/common';
import { accountHandlers } from './account/accounts.js';
import { AddressLinks } from './account/address-links.js';
import { Addresses } from './account/addresses.js';
import { changeFactorsHandler } from './account/change-factors.js';
import { confirmAddressHandler } from './account/confirm-address.js';
import { beginDownloadHandler } from './account/begin-download.js';
import { createAccountHandler } from './account/create-account.js';
import { eraseAccountHandler } from './account/erase-account.js';
import { ErasureSteps } from './account/erasure-steps.js';
import { OperatorLinks } from './account/operator-links.js';
import { recoveryLinkHandlers } from './account/operator-recovery.js';
import { recoverAccountHandler } from './account/recover-account.js';
import { RecoveryLinks } from './account/recovery-links.js';
import { beginAccountExportHandler } from './account/export-account.js';
import { signInHandlers } from './account/sign-ins.js';
import { analyticsHandlers } from './analytics.js';
import { applicationHandlers } from './application/applications.js';
import { updateApplicationHandler } from './application/update-application.js';
import { Allowances } from './approval/allowances.js';
import { changeApprovalHandler } from './approval/change-approval.js';
import { setFourEyesHandler } from './approval/set-four-eyes.js';
import { changeBatchHandler } from './batch/change-batch.js';
import { changeBatchItemHandler } from './batch/change-batch-item.js';
import { finishCaseEffectsHandler } from './case/case-effects.js';
import { caseHandlers } from './case/change-case.js';
import { createReportHandler } from './create-report.js';
import { grantHandlers } from './grant/grants.js';
import { revokeGrantsHandler } from './grant/revoke-grants.js';
import { NetworkCipher } from './support/network-cipher.js';
import { MailRequests } from './mail/mail-requests.js';
import { markInboxReadHandler } from './mark-inbox-read.js';
import { networkHandlers } from './network/network.js';
import { recordHandlers } from './network/records.js';
import { setRegistrationHandler } from './network/set-registration.js';
import { inviteOperatorHandler } from './operator/invite-operator.js';
import { lookHandlers } from './operator/operator-looks.js';
import { OperatorNames } from './operator/operator-names.js';
import { passkeyHandlers } from './operator/operator-passkeys.js';
import { operatorSignInHandlers } from './operator/operator-sign-ins.js';
import { tokenHandlers } from './operator/operator-tokens.js';
import { operatorHandlers } from './operator/operators.js';
import { createPostHandler } from './post/create-post.js';
import { MentionedActors } from './post/mentioned-actors.js';
import { postChangeHandlers } from './post/post-changes.js';
import { restrictionHandlers } from './post/restrict-post.js';
import { changeProfileHandler } from './profile/change-profile.js';
import { ProfileHandles } from './profile/profile-handles.js';
import { likeHandlers } from './relation/like-post.js';
import { pairHandlers } from './relation/pair-commands.js';
import { HandleDigest } from './support/handle-digest.js';
import { OtherActors } from './support/other-actors.js';
import { Recusals } from './support/recusals.js';
import { WriteSide } from './support/write-side.js';

/** One for each command. */
export const commandHandlers = [
  createAccountHandler,
  eraseAccountHandler,
  ...accountHandlers,
  ...signInHandlers,
  confirmAddressHandler,
  recoverAccountHandler,
  changeFactorsHandler,
  ...recoveryLinkHandlers,
  beginDownloadHandler,
  beginAccountExportHandler,
  ...analyticsHandlers,
  ...applicationHandlers,
  updateApplicationHandler,
  changeApprovalHandler,
  setFourEyesHandler,
  changeBatchHandler,
  changeBatchItemHandler,
  ...caseHandlers,
  finishCaseEffectsHandler,
  createReportHandler,
  ...grantHandlers,
  revokeGrantsHandler,
  markInboxReadHandler,
  ...networkHandlers,
  ...recordHandlers,
  setRegistrationHandler,
  inviteOperatorHandler,
  ...operatorHandlers,
  ...operatorSignInHandlers,
  ...tokenHandlers,
  ...passkeyHandlers,
  ...lookHandlers,
  createPostHandler,
  ...postChangeHandlers,
  ...restrictionHandlers,
  changeProfileHandler,
  ...pairHandlers,
  ...likeHandlers,
];

/**
 * The handlers of all commands, and what they share. Global modules must provide the rest: the log, the stores, the clock,
 * `ReadModels`, `ShownPosts`, `SigningKeys`, and the buses of `CqrsModule.forRoot()`.
 */
@Module({
  providers: [
    ...commandHandlers,
    WriteSide,
    AddressLinks,
    Addresses,
    Allowances,
    ErasureSteps,
    HandleDigest,
    NetworkCipher,
    MailRequests,
    MentionedActors,
    OperatorLinks,
    OperatorNames,
    OtherActors,
    ProfileHandles,
    Recusals,
    RecoveryLinks,
  ],
  exports: [
    AddressLinks,
    Addresses,
    Allowances,
    HandleDigest,
    MailRequests,
    NetworkCipher,
    OperatorLinks,
    RecoveryLinks,
    Recusals,
  ],
})
export class CommandsModule {}
