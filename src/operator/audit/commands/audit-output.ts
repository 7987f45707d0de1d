import { actingText } from '../../desk/who.js';
import { plainText } from '../../../base/support/plain-text.js';
import type { NamedIds } from '../../desk/names.js';
import { fieldsOf, templateOf, withoutIds } from '../../desk/sentences.js';
import type { AuditEntry } from '../entry.js';
import { csvLine } from '../../../base/terminal/csv.js';
import type { CsvCell } from '../../../base/terminal/csv.js';
import { localMoment, timeText } from '../../../base/terminal/output.js';
import { caseName } from '../../client/names-in-lines.js';
import type { NamesInLines } from '../../client/names-in-lines.js';
import { tableLines } from '../../../base/terminal/table.js';

type Names = Readonly<Record<string, string>>;

export const jsonLine = (entry: object): string => plainText(`${JSON.stringify(entry)}\n`);

const csvColumns: Readonly<Record<string, (entry: AuditEntry) => CsvCell>> = {
  time: ({ at }) => timeText(at),
  type: ({ type }) => type,
  actorId: ({ actorId }) => actorId,
  operatorId: ({ operatorId }) => operatorId,
  claimedOperator: ({ operator }) => operator && { free: operator },
  appId: ({ appId }) => appId,
  grantId: ({ grantId }) => grantId,
  subject: ({ subject }) => JSON.stringify(subject),
  reason: ({ reason }) => reason && { free: reason },
  cause: ({ cause }) => cause,
  text: ({ text, erased, undisclosed }) =>
    erased ? 'erased' : undisclosed ? 'not public' : text && { free: text },
  clientRequestId: ({ clientRequestId }) => clientRequestId && { free: clientRequestId },
  requestId: ({ requestId }) => requestId,
  intentId: ({ intentId }) => intentId && { free: intentId },
  addressClass: ({ addressClass }) => addressClass,
  stream: ({ stream }) => stream,
  revision: ({ revision }) => revision,
  position: ({ position }) => position,
  eventId: ({ eventId }) => eventId,
};

export const csvHead = (): string => csvLine(Object.keys(csvColumns));

/** Control characters are escaped like in all output; the line ends with CR LF. */
export function csvOf(entry: AuditEntry): string {
  const line = csvLine(Object.values(csvColumns).map((cellOf) => cellOf(entry)));
  return `${plainText(line.slice(0, -'\r\n'.length))}\r\n`;
}

/**
 * Lines of a table for people: local time, who, what, about whom, through which application and why. `names`: of
 * applications and operators, by id.
 */
export function auditTable(entries: readonly AuditEntry[], names: Names, inLines: NamesInLines): string[] {
  return tableLines(
    ['TIME', 'WHO', 'WHAT', 'ABOUT', 'THROUGH, WHY'],
    entries.map((entry) => [
      localMoment(entry.at),
      whoOf(entry, names, inLines),
      withoutIds(templateOf(entry)),
      aboutOf(entry, inLines),
      detailsOf(entry, names),
    ]),
  );
}

function whoOf(entry: AuditEntry, names: Names, { named }: NamesInLines): string {
  // The claimer of the case alone learns who reported (docs/adr/0029-cases.md).
  if (entry.type === 'report.created') return 'somebody';
  return actingText(entry, names) ?? (entry.actorId === null ? 'network' : named('actors', entry.actorId));
}

/** The first id of the sentence, or else of the event, that is neither of the actor, nor of the operator or application that caused it. */
function aboutOf(entry: AuditEntry, inLines: NamesInLines): string {
  const { named } = inLines;
  const { type, subject, actorId, operatorId, appId } = entry;
  const causes = new Set([actorId, operatorId, appId]);
  const ids = [...fieldsOf(templateOf(entry)), ...Object.keys(subject)].map(
    (field) => [field, subject[field]] as const,
  );
  const [field, id] = ids.find(([, each]) => each !== undefined && !causes.has(each)) ?? [];
  if (field === undefined || id === undefined) return '';
  if (field === 'caseId') return `case ${caseName(id, inLines)}`;
  const [what, noun] = nouns[field.replace(/^\w+ActorId$/, 'actorId')] ?? [field.replace(/Id$/, '')];
  // The last column has the text of an event of a post, or says why not.
  const isSaid = type.startsWith('post.') && saidIn(entry).length > 0;
  return `${what} ${noun === undefined || isSaid ? id : named(noun, id)}`;
}

const nouns: Readonly<Record<string, readonly [what: string, noun: keyof NamedIds]>> = {
  actorId: ['actor', 'actors'],
  postId: ['post', 'posts'],
  // The field of a like; a follow has the person in another one.
  targetId: ['post', 'posts'],
  appId: ['app', 'applications'],
  operatorId: ['operator', 'operators'],
};

const MAX_SHOWN = 80;

function detailsOf(entry: AuditEntry, names: Names): string {
  const { appId, reason } = entry;
  const through = appId === null ? [] : [names[appId] ?? appId];
  const said = [...through, ...(reason === null ? [] : [reason]), ...saidIn(entry)];
  return said.join(': ').replaceAll(/\s+/g, ' ');
}

function saidIn({ eventId, text, erased, undisclosed }: AuditEntry): readonly string[] {
  if (text !== undefined) return [`“${shortened(text)}”`];
  if (erased) return ['(erased)'];
  return undisclosed ? [`(not public: plaza disclose ${eventId})`] : [];
}

function shortened(text: string): string {
  const characters = Array.from(text);
  return characters.length <= MAX_SHOWN ? text : `${characters.slice(0, MAX_SHOWN).join('')}…`;
}
