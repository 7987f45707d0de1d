import type { z } from 'zod';
import { listedApproval } from '../desk/approvals/listed.js';
import type { ListedApproval } from '../desk/approvals/listed.js';
import { sampledItem, sampleOf } from '../desk/sample.js';
import { listOf } from '../desk/schemas.js';
import type { ActServices } from '../desk/services.js';

/** `sample`: of what it is about, as it is now. */
export const shownApproval = listedApproval.extend({ sample: listOf(sampledItem) });

export type ShownApproval = z.infer<typeof shownApproval>;

export const idsIn = ({ about, facts }: ListedApproval): readonly string[] =>
  about ? [facts[about.fact] ?? []].flat().map(String) : [];

/** @throws errors of log and stores */
export async function withEvidence(services: ActServices, listed: ListedApproval): Promise<ShownApproval> {
  const { about } = listed;
  return { ...listed, sample: about ? await sampleOf(services, about.kind, idsIn(listed)) : [] };
}
