import { NETWORK_NAME } from '../../base/mail/mail.js';
import { ADDRESS_LINK_HOURS } from '../../commands/account/address-links.js';
import { RECOVERY_LINK_MINUTES } from '../../commands/account/recovery-links.js';

/**
 * The words of mails. Of what people typed they have the handle alone, which is of letters, digits and _. Those that tell
 * of a change have no link: nobody should learn to click on one.
 */
export interface MailText {
  readonly subject: string;
  readonly text: string;
}

const paragraphs = (...texts: readonly string[]): string => `${texts.join('\n\n')}\n`;

export const recoveryMail = (handle: string, link: string): MailText => ({
  subject: `${NETWORK_NAME}: a new password for @${handle}`,
  text: paragraphs(
    `Somebody asked for a new password for your account @${handle} on ${NETWORK_NAME}.`,
    'If it was you, open this page, and choose one there:',
    link,
    `The link works once, and for ${RECOVERY_LINK_MINUTES} minutes. To open it changes nothing.`,
    'If it was not you, do nothing: your password stays as it is. Never pass the link on.',
  ),
});

export const verificationMail = (handle: string, link: string): MailText => ({
  subject: `${NETWORK_NAME}: is this the address of @${handle}?`,
  text: paragraphs(
    `The person of the account @${handle} on ${NETWORK_NAME} says that this is their e-mail address.`,
    `If you are @${handle}, open this page in the browser in which you are signed in, and confirm it there:`,
    link,
    `The link works for ${ADDRESS_LINK_HOURS} hours. To open it changes nothing.`,
    `If you are not @${handle}, do not confirm it: others would take that account for yours. Do nothing, and the address stays unconfirmed.`,
  ),
});

export const takenMail = (handle: string): MailText => ({
  subject: `${NETWORK_NAME}: this address is already that of @${handle}`,
  text: paragraphs(
    `Somebody gave this address for another account on ${NETWORK_NAME}. It is that of your account @${handle}, and stays so.`,
    `If it was you: sign in as @${handle}. If you do not remember the password, ask for a new one at the sign-in page. For a second account, use another address.`,
    'If it was not you, do nothing.',
  ),
});

export const changedMail = (handle: string, contact: string | undefined): MailText => ({
  subject: `${NETWORK_NAME}: @${handle} has another address`,
  text: paragraphs(
    `The account @${handle} on ${NETWORK_NAME} has another e-mail address now. This address no longer opens it.`,
    `If it was you, there is nothing to do. If it was not, somebody knows your password: sign in, change the password, then the address. ${whomToAsk(contact)}`,
  ),
});

export const recoveredMail = (
  handle: string,
  by: 'mail' | 'operators',
  contact: string | undefined,
): MailText => ({
  subject: `${NETWORK_NAME}: @${handle} has a new password`,
  text: paragraphs(
    `Somebody set a new password for the account @${handle} on ${NETWORK_NAME}, by a link ${by === 'mail' ? 'in a mail' : 'of the operators'}. Every browser was signed out.`,
    `If it was you, there is nothing to do. If it was not, somebody ${by === 'mail' ? "reads the mails of the account's address" : 'asked the operators in your name'}: ${by === 'mail' ? 'change the password of your mail, ' : ''}ask for a new password at the sign-in page, and look at your passkeys and applications. ${whomToAsk(contact)}`,
  ),
});

export interface OperatorLinkFacts {
  readonly worksFrom: number;
  readonly worksUntil: number;
  /** The page that ends it. */
  readonly ending: string;
}

/** Its link ends the other one, for who cannot sign in. It is the one mail of a change that has a link. */
export const operatorLinkMail = (
  handle: string,
  { worksFrom, worksUntil, ending }: OperatorLinkFacts,
  contact: string | undefined,
): MailText => ({
  subject: `${NETWORK_NAME}: the operators made a link for @${handle}`,
  text: paragraphs(
    `The operators of ${NETWORK_NAME} made a link that sets a new password for your account @${handle}. It works from ${timeOf(worksFrom)} until ${timeOf(worksUntil)}, once. Until then your password stays as it is.`,
    'If you asked the operators for it, do nothing.',
    'If you did not, end it: on your account page, or here, without a password:',
    ending,
    `To open this page changes nothing; its button ends the link. ${whomToAsk(contact)}`,
  ),
});

const timeOf = (at: number): string => `${new Date(at).toISOString().slice(0, 16).replace('T', ', ')} UTC`;

const factorsWords = {
  passkey_added: ['has another passkey', 'A passkey was added to'],
  passkey_removed: ['has a passkey less', 'A passkey was removed from'],
  second_step_required: [
    'asks for a second step',
    'A sign-in by password now needs a passkey or one of ten new recovery codes, too, at',
  ],
  second_step_lifted: ['asks for no second step', 'A password alone now opens'],
  recovery_code_used: ['was opened by a recovery code', 'A recovery code was used to sign in to'],
} as const;

export function factorsMail(
  kind: keyof typeof factorsWords,
  handle: string,
  contact: string | undefined,
): MailText {
  const [title, what] = factorsWords[kind];
  const whatToDo =
    kind === 'second_step_required'
      ? 'open “Forgot your password?” at the sign-in. For seven days after the second step was turned on, that needs none. Then look at your passkeys.'
      : 'sign in, change the password, and look at your passkeys.';
  return {
    subject: `${NETWORK_NAME}: @${handle} ${title}`,
    text: paragraphs(
      `${what} the account @${handle} on ${NETWORK_NAME}.`,
      `If it was you, there is nothing to do. If it was not, somebody is in your account: ${whatToDo} ${whomToAsk(contact)}`,
    ),
  };
}

const whomToAsk = (contact: string | undefined): string =>
  contact === undefined
    ? 'If you cannot, ask the operators of the network.'
    : `If you cannot, ask the operators of the network: ${contact}`;
