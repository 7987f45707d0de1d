import type { OperatorLinks } from '../../../commands/account/operator-links.js';
import type { OperatorLinksView } from '../pages/operator-links.js';

/** The links that operators made for a person, for a page of the person. @throws errors of log and store */
export async function linksOf(links: OperatorLinks, actorId: string): Promise<OperatorLinksView> {
  const [open, all] = await Promise.all([links.openOf(actorId), links.all(actorId)]);
  return { open, past: all.filter(({ linkId }) => linkId !== open?.linkId).toReversed() };
}
