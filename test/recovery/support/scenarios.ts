import { Block, Unblock } from '../../../src/commands/relation/pair-commands.js';
import { DeletePost } from '../../../src/commands/post/post-changes.js';
import { EraseAccount } from '../../../src/commands/account/erase-account.js';
import type { Intent } from '../../../src/commands/support/intent.js';
import { RestrictPost, UnrestrictPost } from '../../../src/commands/post/restrict-post.js';
import { RevokeGrant } from '../../../src/commands/grant/grants.js';
import { ReinstateAccount, SuspendAccount } from '../../../src/commands/account/accounts.js';
import { ReinstateApplication, SuspendApplication } from '../../../src/commands/application/applications.js';
import {
  ChangeOperatorRoles,
  ReinstateOperator,
  SuspendOperator,
} from '../../../src/commands/operator/operators.js';
import { RevokeOperatorToken } from '../../../src/commands/operator/operator-tokens.js';
import { RemovePasskey } from '../../../src/commands/operator/operator-passkeys.js';
import type { RestrictionEvent } from '../../../src/log/restrictions.js';
import { streams } from '../../../src/log/streams.js';
import type { Commands } from '../../support/commands.js';
import type { CommandBench } from './command-bench.js';

/** The commands of one type of restriction. `key` names the subject and the intent. */
export interface Scenario {
  /** The stream of the restriction. */
  readonly stream: (key: string) => string;
  /** Creates the subject. */
  readonly prepare: (workshop: CommandBench, key: string) => Promise<unknown>;
  /** Executes the command, as the API does. Repeating it changes nothing. */
  readonly act: (commands: Commands, key: string) => Promise<unknown>;
}

const act = { requestId: 'test', operator: 'test', reason: 'a test' };
const intentOf = (key: string): Intent => ({
  actorId: key,
  appId: 'app',
  grantId: 'grant',
  intentId: key,
  requestId: 'test',
  addressClass: 'loopback',
});

const other = (key: string) => `other-${key}`;
const account = ({ given }: CommandBench, actorId: string) =>
  given(streams.account(actorId), {
    type: 'account.registered',
    data: { actorId, handle: actorId, displayName: actorId, email: `${actorId}@example.org`, at: 1 },
  });
const application = ({ given }: CommandBench, appId: string) =>
  given(streams.application(appId), {
    type: 'application.registered',
    data: { appId, name: appId, redirectUris: [], postLogoutRedirectUris: [], scopes: ['read'], at: 1 },
  });

const post = ({ given }: CommandBench, postId: string) =>
  given(streams.post(postId), {
    type: 'post.created',
    data: { postId, authorActorId: postId, appId: 'app', text: 'x', audience: 'public', mentions: [], at: 1 },
  });

const operator = ({ given }: CommandBench, operatorId: string) =>
  given(
    streams.operator(operatorId),
    {
      type: 'operator.invited',
      data: {
        operatorId,
        name: operatorId,
        roles: ['viewer'],
        invitationHash: operatorId,
        expiresAt: 2,
        needsConfirmation: false,
        at: 1,
      },
    },
    { type: 'operator.enrolled', data: { operatorId, at: 1 } },
    {
      type: 'operator.token_issued',
      data: { operatorId, tokenId: operatorId, tokenHash: operatorId, label: 'x', expiresAt: 2, at: 1 },
    },
    {
      type: 'operator.passkey_registered',
      data: {
        operatorId,
        passkeyId: operatorId,
        credentialId: operatorId,
        publicKey: operatorId,
        transports: [],
        label: 'x',
        at: 1,
      },
    },
  );
const suspendOperator = (commands: Commands, key: string) => commands.execute(new SuspendOperator(key, act));
const suspendAccount = (commands: Commands, key: string) => commands.execute(new SuspendAccount(key, act));
const eraseAccount = (commands: Commands, key: string) => commands.execute(new EraseAccount(key, act));
const suspendApplication = (commands: Commands, key: string) =>
  commands.execute(new SuspendApplication(key, act));
const restrictPost = (commands: Commands, key: string) => commands.execute(new RestrictPost(key, act));
const block = (commands: Commands, key: string) => commands.execute(new Block(intentOf(key), other(key)));

/** A network has one shared token and one four-eyes: they have no subject for each case, and are written as the others. */
export type ScenarioType = Exclude<
  RestrictionEvent['type'],
  'network.shared_token_limited' | 'operator.four_eyes_required' | 'operator.four_eyes_lifted'
>;

/** One scenario for each type; a new type without one fails the crash matrix. */
export const scenarios: { readonly [Type in ScenarioType]: Scenario } = {
  'account.suspended': { stream: streams.account, prepare: account, act: suspendAccount },
  'account.reinstated': {
    stream: streams.account,
    prepare: async (workshop, key) => {
      await account(workshop, key);
      await suspendAccount(workshop.commands(), key);
    },
    act: (commands, key) => commands.execute(new ReinstateAccount(key, act)),
  },
  'account.erased': {
    stream: streams.account,
    prepare: account,
    act: eraseAccount,
  },
  'application.suspended': { stream: streams.application, prepare: application, act: suspendApplication },
  'application.reinstated': {
    stream: streams.application,
    prepare: async (workshop, key) => {
      await application(workshop, key);
      await suspendApplication(workshop.commands(), key);
    },
    act: (commands, key) => commands.execute(new ReinstateApplication(key, act)),
  },
  'grant.revoked': {
    stream: streams.grant,
    prepare: ({ given }, grantId) =>
      given(streams.grant(grantId), {
        type: 'grant.issued',
        data: { grantId, appId: 'app', actorId: 'ada', scopes: ['read'], at: 1 },
      }),
    // This restriction is appended with a second event.
    act: (commands, key) =>
      commands.execute(new RevokeGrant(key, { cause: 'reuse', of: 'refresh_token' }, { requestId: 'test' })),
  },
  'post.deleted': {
    stream: streams.post,
    prepare: post,
    act: (commands, key) => commands.execute(new DeletePost(intentOf(key), key, 1)),
  },
  'post.restricted': { stream: streams.post, prepare: post, act: restrictPost },
  'post.unrestricted': {
    stream: streams.post,
    prepare: async (workshop, key) => {
      await post(workshop, key);
      await restrictPost(workshop.commands(), key);
    },
    act: (commands, key) => commands.execute(new UnrestrictPost(key, act)),
  },
  'block.established': {
    stream: (key) => streams.pair(key, other(key)),
    prepare: async (workshop, key) => {
      await Promise.all([account(workshop, key), account(workshop, other(key))]);
      // A follow, which the block ends.
      const data = { kind: 'follow', actorId: key, targetId: other(key), targetActorId: other(key) } as const;
      await workshop.given(streams.pair(key, other(key)), {
        type: 'relation.established',
        data: { ...data, generation: 1, at: 1 },
      });
    },
    act: block,
  },
  'block.ended': {
    stream: (key) => streams.pair(key, other(key)),
    prepare: async (workshop, key) => {
      await Promise.all([account(workshop, key), account(workshop, other(key))]);
      await block(workshop.commands(), key);
    },
    act: (commands, key) => {
      const intent = { ...intentOf(key), intentId: `end-${key}` };
      return commands.execute(new Unblock(intent, other(key)));
    },
  },
  'operator.suspended': { stream: streams.operator, prepare: operator, act: suspendOperator },
  'operator.reinstated': {
    stream: streams.operator,
    prepare: async (workshop, key) => {
      await operator(workshop, key);
      await suspendOperator(workshop.commands(), key);
    },
    act: (commands, key) => commands.execute(new ReinstateOperator(key, act)),
  },
  'operator.roles_changed': {
    stream: streams.operator,
    prepare: operator,
    act: (commands, key) => commands.execute(new ChangeOperatorRoles(key, act, { roles: ['moderator'] })),
  },
  'operator.passkey_removed': {
    stream: streams.operator,
    prepare: operator,
    act: (commands, key) => commands.execute(new RemovePasskey(key, key, act)),
  },
  'operator.token_revoked': {
    stream: streams.operator,
    prepare: operator,
    act: (commands, key) => commands.execute(new RevokeOperatorToken(key, key, act)),
  },
};
