import { Refusal } from '../refusal.js';
import type { Decision } from '../refusal.js';
import type { RecoveryLinkEnded, RecoveryLinkMade, RecoveryLinkUsed } from './events.js';

const HOUR_MS = 60 * 60_000;
/** Its person can learn of a link, and end it, for so long before it works. */
const DELAY_MS = 24 * HOUR_MS;
const VALIDITY_MS = 24 * HOUR_MS;

export type RecoveryLinkEvent = RecoveryLinkMade | RecoveryLinkEnded | RecoveryLinkUsed;

/** A link that operators made for a person. Times are Unix milliseconds. `outcome` undefined: nobody ended or used it. */
export interface OperatorLink {
  readonly linkId: string;
  readonly madeAt: number;
  readonly worksFrom: number;
  readonly worksUntil: number;
  readonly outcome?: 'ended' | 'used';
}

/** All that were made for a person, oldest first. */
export type OperatorLinks = readonly OperatorLink[];

export const noLinks: OperatorLinks = [];

export function evolveLinks(links: OperatorLinks, { type, data }: RecoveryLinkEvent): OperatorLinks {
  if (type === 'account.recovery_link_made') {
    const { linkId, at: madeAt, worksFrom, worksUntil } = data;
    return [...links, { linkId, madeAt, worksFrom, worksUntil }];
  }
  const outcome = type === 'account.recovery_link_used' ? 'used' : 'ended';
  return links.map((link) => (link.linkId === data.linkId ? { ...link, outcome } : link));
}

/** The one that works, or will. A change of the password ends it, too, which the log of links does not tell. */
export const openLink = (links: OperatorLinks, now: number): OperatorLink | undefined =>
  links.findLast(({ outcome, worksUntil }) => outcome === undefined && worksUntil > now);

/** When a link works that is made at this time. */
export function linkTimes(at: number): Pick<OperatorLink, 'worksFrom' | 'worksUntil'> {
  const worksFrom = at + DELAY_MS;
  return { worksFrom, worksUntil: worksFrom + VALIDITY_MS };
}

/** `works` undefined: no link does. One that is open in the log alone, as after a new password, is ended. */
export function makeLink(
  links: OperatorLinks,
  { actorId, linkId, at }: RecoveryLinkEnded['data'],
  works: string | undefined,
): Decision<RecoveryLinkMade | RecoveryLinkEnded> {
  if (works !== undefined)
    return new Refusal(
      'intent_conflict',
      'A link for this account waits or works already. End it first (plaza account end-recovery-link).',
    );
  const ended = endLink(links, { actorId, at });
  if (ended instanceof Refusal) return ended;
  return [...ended, { type: 'account.recovery_link_made', data: { actorId, linkId, ...linkTimes(at), at } }];
}

/** `linkId` undefined: whichever is open. */
export function endLink(
  links: OperatorLinks,
  {
    actorId,
    linkId,
    at,
  }: { readonly actorId: string; readonly linkId?: string | undefined; readonly at: number },
): Decision<RecoveryLinkEnded> {
  const open = openLink(links, at);
  if (!open || (linkId !== undefined && linkId !== open.linkId)) return [];
  return [{ type: 'account.recovery_link_ended', data: { actorId, linkId: open.linkId, at } }];
}

export function useLink(links: OperatorLinks, data: RecoveryLinkEnded['data']): Decision<RecoveryLinkUsed> {
  const open = openLink(links, data.at);
  if (open?.linkId !== data.linkId || open.worksFrom > data.at)
    return new Refusal('not_found', 'This link has ended.');
  return [{ type: 'account.recovery_link_used', data }];
}
