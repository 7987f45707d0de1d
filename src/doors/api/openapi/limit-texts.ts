import type { Limit } from '../../../base/config/limit-settings.js';
import { limits } from '../../../base/config/limit-settings.js';
import type { AnonymousBudget } from '../limits/request-limits.js';

const {
  anonymous,
  bearer,
  refused,
  refreshes,
  openStreams,
  streamRetrySeconds,
  streamReading,
  connections,
  signIn,
  signedIn,
  authorization,
  inWork,
  signUp,
  mail,
  bodies,
} = limits;

const number = (value: number): string => value.toLocaleString('en');
const seconds = (ms: number): number => ms / 1000;

/** A limit in words, like `3,000 in 5 minutes`. */
const rate = ({ quota, windowSeconds }: Limit): string =>
  windowSeconds === 60
    ? `${number(quota)} a minute`
    : `${number(quota)} in ${number(windowSeconds / 60)} minutes`;

const ofCaller = 'for each application and actor';
const streams = `Open event streams at a server: ${openStreams.ofListener} ${ofCaller}, or for each address without a token; ${number(openStreams.ofProcess)} in all, ${number(openStreams.anonymous)} of them without a token. One too many is a 429 with \`Retry-After\` ${streamRetrySeconds.ofListener}, or ${streamRetrySeconds.ofProcess} if the server is full. A client that reads nothing of its stream for ${seconds(streamReading.idleMs)} s is disconnected.`;
const refusedCredentials = `${rate(refused.address)} refused credentials for each address`;

/** Every limit of limit-settings.ts in words, as paragraphs of the OpenAPI document. */
export const limitTexts: readonly string[] = [
  `Limits. Reads without a token: ${rate(anonymous.reads)} for each address, and apart from these ${rate(anonymous.events)} of events and reconcile together. Reads with a token, userinfo included: ${rate(bearer.reads)} ${ofCaller}. Mutations: ${rate(bearer.writes)} ${ofCaller}. A live token's refusals count too. Refreshes: ${rate(refreshes.grant)} for each grant. Tokens and client credentials: ${refusedCredentials}. A 429 says in \`Retry-After\` when to come again.`,
  streams,
  `Sign-in: ${rate(signIn.account)} for each account, ${rate(signIn.address)} for each address. Passwords at the account page: ${rate(signedIn.session)} for each account and browser. Authorization with its pages, and end-session, together: ${rate(authorization.address)} for each address. Sign-ups: ${rate(signUp.address)} for each address. Requests for mails: ${rate(mail.address)} for each address; mails that ask to verify an address: ${rate(mail.mailbox)} to each mailbox, ${rate(mail.account)} of each account; mails with a link to a new password: ${rate(mail.recovery)} for each person.`,
  `A body has at most ${bodies.bytes / 1024} KiB, a form at most ${bodies.parameters} parameters. A request must arrive whole within ${seconds(connections.arrivalMs)} s, which is checked every ${seconds(connections.arrivalCheckMs)} s. A connection has at most ${connections.requests} open requests, and ends after ${seconds(connections.idleMs)} to ${2 * seconds(connections.idleMs)} s without progress. A server has at most ${number(connections.open)} connections, ${number(connections.ofAddress)} from one address, with together ${connections.unreadBytes / 1024 / 1024} MiB of unread answers. It works on at most ${inWork} requests at once of each class: mutations, restrictions with sign-outs, lists, other reads, authorization; half of them from one address alone. More are a 503 with \`Retry-After\`.`,
];

interface Limited {
  readonly mutates: boolean;
  readonly access: { readonly anonymous: boolean; readonly budget?: AnonymousBudget };
  readonly streamedEvent?: unknown;
}

/** Describes the limits of one operation of the social API, in the text of its 429. */
export function limitsOf({ mutates, access, streamedEvent }: Limited): string {
  const ofTokens = `${rate(mutates ? bearer.writes : bearer.reads)} ${ofCaller}`;
  const budget = access.budget ?? 'reads';
  const apart = budget === 'events' ? ' together with the other operation of this budget' : '';
  const all = [
    ...(access.anonymous ? [`${rate(anonymous[budget])} for each address without a token${apart}`] : []),
    ofTokens,
    refusedCredentials,
  ];
  return `The limit is used up: ${all.join('; ')}.${streamedEvent === undefined ? '' : ` ${streams}`}`;
}

export const tokenLimits = `The limit is used up: ${rate(refreshes.grant)} refreshes for each grant; ${refusedCredentials}.`;
export const userinfoLimits = `The limit is used up: ${rate(bearer.reads)} reads ${ofCaller}; ${refusedCredentials}.`;
export const clientLimits = `The limit is used up: ${refusedCredentials}.`;
