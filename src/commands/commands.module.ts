import { Module } from '@nestjs/common';
import { ChangePasswordHandler } from './account/change-password.js';
import { CreateAccountHandler } from './account/create-account.js';
import { EraseAccountHandler } from './account/erase-account.js';
import { ErasureSteps } from './account/erasure-steps.js';
import { Allowances } from './approval/allowances.js';
import { ChangeApprovalHandler } from './approval/change-approval.js';
import { SetFourEyesHandler } from './approval/set-four-eyes.js';
import { ChangeBatchHandler } from './batch/change-batch.js';
import { ChangeBatchItemHandler } from './batch/change-batch-item.js';
import { CancelErasureHandler, RequestErasureHandler } from './account/plan-erasure.js';
import { RecordSignInHandler } from './account/record-sign-in.js';
import { SignOutEverywhereHandler } from './account/sign-out-everywhere.js';
import { ReinstateAccountHandler, SuspendAccountHandler } from './account/suspend-account.js';
import { RegisterApplicationHandler } from './application/register-application.js';
import { RotateClientSecretHandler } from './application/rotate-client-secret.js';
import { ReinstateApplicationHandler, SuspendApplicationHandler } from './application/suspend-application.js';
import { RecordExportHandler } from './network/record-export.js';
import { SendBackupPartHandler } from './network/send-backup-part.js';
import { FinishCaseEffectsHandler } from './case/case-effects.js';
import {
  AppealDecisionHandler,
  ClaimCaseHandler,
  DecideCaseHandler,
  DiscloseCaseHandler,
  NoteCaseHandler,
  ReleaseCaseHandler,
  ReopenCaseHandler,
  RuleOnAppealHandler,
} from './case/change-case.js';
import { Recusals } from './support/recusals.js';
import { IssueGrantHandler } from './grant/issue-grant.js';
import { RefreshGrantHandler } from './grant/refresh-grant.js';
import { RevokeGrantHandler } from './grant/revoke-grant.js';
import { RevokeGrantsHandler } from './grant/revoke-grants.js';
import { MarkInboxReadHandler } from './mark-inbox-read.js';
import { BeginBackupHandler } from './network/begin-backup.js';
import { LimitSharedTokenHandler } from './network/limit-shared-token.js';
import { PausePublishingHandler, ResumePublishingHandler } from './network/pause-publishing.js';
import { RecordJobChangeHandler } from './network/record-job-change.js';
import { RecordReadModelOperationHandler } from './network/record-read-model-operation.js';
import { RecordRestoreHandler } from './network/record-restore.js';
import { SetRegistrationHandler } from './network/set-registration.js';
import { RotateSigningKeyHandler } from './network/rotate-signing-key.js';
import {
  ChangeOperatorRolesHandler,
  ReinstateOperatorHandler,
  SuspendOperatorHandler,
} from './operator/change-operator.js';
import { ConfirmOperatorHandler } from './operator/confirm-operator.js';
import { EnrollOperatorHandler } from './operator/enroll-operator.js';
import { InviteOperatorHandler } from './operator/invite-operator.js';
import { OperatorNames } from './operator/operator-names.js';
import { DiscloseTextsHandler } from './operator/disclose-texts.js';
import { RecordAnalyticsExportHandler } from './analytics/record-analytics-export.js';
import { RecordDisclosureHandler } from './analytics/record-disclosure.js';
import { RecordLookHandler } from './operator/record-look.js';
import {
  EnrollWithPasskeyHandler,
  RegisterPasskeyHandler,
  RemovePasskeyHandler,
} from './operator/operator-passkeys.js';
import { SignInOperatorHandler, SignOutOperatorHandler } from './operator/operator-sign-ins.js';
import { IssueOperatorTokenHandler, RevokeOperatorTokenHandler } from './operator/operator-tokens.js';
import { CreatePostHandler } from './post/create-post.js';
import { DeletePostHandler } from './post/delete-post.js';
import { EditPostHandler } from './post/edit-post.js';
import { MentionedActors } from './post/mentioned-actors.js';
import { PostChangeCommands } from './post/post-changes.js';
import { RestrictPostHandler, UnrestrictPostHandler } from './post/restrict-post.js';
import { ChangeProfileHandler } from './profile/change-profile.js';
import { ProfileHandles } from './profile/profile-handles.js';
import { BlockHandler, UnblockHandler } from './relation/block.js';
import { FollowHandler, UnfollowHandler } from './relation/follow.js';
import { LikePostHandler, UnlikePostHandler } from './relation/like-post.js';
import { PairCommands } from './relation/pair-commands.js';
import { CreateReportHandler } from './create-report.js';
import { HandleDigest } from './support/handle-digest.js';
import { OtherActors } from './support/other-actors.js';

const account = [
  CancelErasureHandler,
  ChangePasswordHandler,
  CreateAccountHandler,
  EraseAccountHandler,
  RecordSignInHandler,
  ReinstateAccountHandler,
  RequestErasureHandler,
  SignOutEverywhereHandler,
  SuspendAccountHandler,
];

const application = [
  RegisterApplicationHandler,
  ReinstateApplicationHandler,
  RotateClientSecretHandler,
  SuspendApplicationHandler,
];

const cases = [
  AppealDecisionHandler,
  ClaimCaseHandler,
  DecideCaseHandler,
  DiscloseCaseHandler,
  FinishCaseEffectsHandler,
  NoteCaseHandler,
  ReleaseCaseHandler,
  ReopenCaseHandler,
  RuleOnAppealHandler,
];

const grant = [IssueGrantHandler, RefreshGrantHandler, RevokeGrantHandler, RevokeGrantsHandler];

const network = [
  BeginBackupHandler,
  LimitSharedTokenHandler,
  PausePublishingHandler,
  RecordReadModelOperationHandler,
  RecordJobChangeHandler,
  RecordRestoreHandler,
  ResumePublishingHandler,
  RotateSigningKeyHandler,
  SetRegistrationHandler,
];

const operator = [
  ChangeOperatorRolesHandler,
  ConfirmOperatorHandler,
  EnrollOperatorHandler,
  EnrollWithPasskeyHandler,
  InviteOperatorHandler,
  IssueOperatorTokenHandler,
  DiscloseTextsHandler,
  RecordAnalyticsExportHandler,
  RecordDisclosureHandler,
  RecordLookHandler,
  RegisterPasskeyHandler,
  ReinstateOperatorHandler,
  RemovePasskeyHandler,
  RevokeOperatorTokenHandler,
  SignInOperatorHandler,
  SignOutOperatorHandler,
  SuspendOperatorHandler,
];

const post = [
  CreatePostHandler,
  DeletePostHandler,
  EditPostHandler,
  RestrictPostHandler,
  UnrestrictPostHandler,
];

const relation = [
  BlockHandler,
  FollowHandler,
  LikePostHandler,
  UnblockHandler,
  UnfollowHandler,
  UnlikePostHandler,
];

const shared = [
  Allowances,
  ErasureSteps,
  HandleDigest,
  OperatorNames,
  OtherActors,
  MentionedActors,
  PairCommands,
  PostChangeCommands,
  ProfileHandles,
  Recusals,
];

/**
 * All handlers of commands. Global modules must provide what their constructors take: the log, the stores, the clock,
 * `ReadModels`, `SigningKeys`, and the buses of `CqrsModule.forRoot()`.
 */
@Module({
  providers: [
    ...account,
    ...application,
    ...cases,
    ...grant,
    ...network,
    ...operator,
    ...post,
    ...relation,
    ChangeApprovalHandler,
    SetFourEyesHandler,
    ChangeBatchHandler,
    ChangeBatchItemHandler,
    ChangeProfileHandler,
    CreateReportHandler,
    MarkInboxReadHandler,
    RecordExportHandler,
    SendBackupPartHandler,
    ...shared,
  ],
  exports: [Allowances, HandleDigest, Recusals],
})
export class CommandsModule {}
