import { CANDIDATES } from '../../../projections/cases/queue.read-model.js';
import { numbers } from './tables.js';

const texts = {
  'account.suspend': 'The account is suspended.',
  'account.reinstate': 'The account is active.',
  'application.suspend': 'The application is suspended.',
  'application.reinstate': 'The application is active.',
  'application.revoke_grants': 'Its grants are revoked.',
  'grant.revoke': 'The grant is revoked.',
  'case.claim': 'You have claimed the case.',
  'case.none':
    'Nothing waits under these filters that you may claim. What you released today is left to others.',
  'case.none_of_application': `Nothing waits under these filters that you may claim. What you released today is left to others. At most the ${numbers.format(CANDIDATES)} most urgent cases are searched.`,
  'case.release': 'The case is released.',
  'case.note': 'The note is added.',
  'case.decide': 'The case is decided.',
  'case.reopen': 'The case is open again.',
  'case.reopen_unchanged': 'Nothing changed: the case was open already.',
  'appeal.uphold': 'The decision is upheld.',
  'appeal.overturn': 'The decision is overturned.',
  'post.restrict': 'The post is restricted.',
  'post.unrestrict': 'The post is shown again.',
  'publishing.pause': 'Publishing is paused.',
  'publishing.resume': 'Publishing goes on.',
  'registration.open': 'People can create accounts.',
  'registration.close': 'Operators alone create accounts.',
  'batch.undo': 'The undo is requested.',
  'operator.confirm': 'The operator is confirmed.',
  'operator.suspend': 'The operator is suspended.',
  'operator.reinstate': 'The operator is active.',
  'operator.change_roles': 'The roles are changed.',
  'operator.revoke_token': 'The token is revoked.',
  'operator.remove_passkey': 'The passkey is removed.',
  'approval.request': 'Nothing has happened yet: another operator must approve it.',
  'approval.give': 'It is approved. The requester executes it.',
  'approval.refuse': 'The request is refused.',
  'approval.carry_out': 'It is executed.',
  'four_eyes.turn_on': 'Four-eyes is on.',
  'four_eyes.turn_off': 'Four-eyes is off.',
  'shared_token.limit': 'The shared token is for emergencies now.',
  'own.register_passkey': 'The passkey is registered.',
  'own.remove_passkey': 'The passkey is removed.',
  'own.revoke_token': 'The token is revoked.',
  'own.sign_out_everywhere': 'You are signed out everywhere.',
};

/** Said on the page after a form, by the name of its act. A map: the name comes from an address, which may say `constructor`. */
export const notices: ReadonlyMap<string, string> = new Map(Object.entries(texts));
