import { Module } from '@nestjs/common';
import { accountHandlers } from './account/accounts.js';
import { createAccountHandler } from './account/create-account.js';
import { eraseAccountHandler } from './account/erase-account.js';
import { ErasureSteps } from './account/erasure-steps.js';
import { signInHandlers } from './account/sign-ins.js';
import { analyticsHandlers } from './analytics/analytics.js';
import { applicationHandlers } from './application/applications.js';
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
import { markInboxReadHandler } from './mark-inbox-read.js';
import { networkHandlers } from './network/network.js';
import { recordHandlers } from './network/records.js';
import { setRegistrationHandler } from './network/set-registration.js';
import { OperatorNames } from './operator/operator-names.js';
import { createPostHandler } from './post/create-post.js';
import { MentionedActors } from './post/mentioned-actors.js';
import { postChangeHandlers } from './post/post-changes.js';
import { restrictionHandlers } from './post/restrict-post.js';
import { changeProfileHandler } from './profile/change-profile.js';
import { ProfileHandles } from './profile/profile-handles.js';
import { likeHandlers } from './relation/like-post.js';
import { pairHandlers } from './relation/pair-commands.js';
import { ChangeOperatorRolesHandler } from './operator/change-operator.js';
import { ReinstateOperatorHandler } from './operator/change-operator.js';
import { SuspendOperatorHandler } from './operator/change-operator.js';
import { EnrollWithPasskeyHandler } from './operator/operator-passkeys.js';
import { RegisterPasskeyHandler } from './operator/operator-passkeys.js';
import { RemovePasskeyHandler } from './operator/operator-passkeys.js';
import { ConfirmOperatorHandler } from './operator/confirm-operator.js';
import { EnrollOperatorHandler } from './operator/enroll-operator.js';
import { InviteOperatorHandler } from './operator/invite-operator.js';
import { IssueOperatorTokenHandler } from './operator/operator-tokens.js';
import { DiscloseTextsHandler } from './operator/disclose-texts.js';
import { RecordLookHandler } from './operator/record-look.js';
import { RevokeOperatorTokenHandler } from './operator/operator-tokens.js';
import { SignInOperatorHandler } from './operator/operator-sign-ins.js';
import { SignOutOperatorHandler } from './operator/operator-sign-ins.js';
import { HandleDigest } from './support/handle-digest.js';
import { OtherActors } from './support/other-actors.js';
import { Recusals } from './support/recusals.js';
import { WriteSide } from './support/write-side.js';

/** One for each command. */
export const commandHandlers = [
  ChangeOperatorRolesHandler,
  ReinstateOperatorHandler,
  SuspendOperatorHandler,
  EnrollWithPasskeyHandler,
  RegisterPasskeyHandler,
  RemovePasskeyHandler,
  ConfirmOperatorHandler,
  EnrollOperatorHandler,
  InviteOperatorHandler,
  IssueOperatorTokenHandler,
  DiscloseTextsHandler,
  RecordLookHandler,
  RevokeOperatorTokenHandler,
  SignInOperatorHandler,
  SignOutOperatorHandler,
  createAccountHandler,
  eraseAccountHandler,
  ...accountHandlers,
  ...signInHandlers,
  ...analyticsHandlers,
  ...applicationHandlers,
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
  createPostHandler,
  ...postChangeHandlers,
  ...restrictionHandlers,
  changeProfileHandler,
  ...pairHandlers,
  ...likeHandlers,
];

/**
 * The handlers of all commands, and what they share. Global modules must provide the rest: the log, the stores, the clock,
 * `ReadModels`, `SigningKeys`, and the buses of `CqrsModule.forRoot()`.
 */
@Module({
  providers: [
    ...commandHandlers,
    WriteSide,
    Allowances,
    ErasureSteps,
    HandleDigest,
    MentionedActors,
    OperatorNames,
    OtherActors,
    ProfileHandles,
    Recusals,
  ],
  exports: [Allowances, HandleDigest, Recusals],
})
export class CommandsModule {}
