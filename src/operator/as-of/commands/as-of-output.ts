import type { AsOfPost, AsOfView } from '../answer.js';
import type { NamesInLines } from '../../client/names-in-lines.js';
import { timeText } from '../../../base/terminal/output.js';

/** A view for people. `more`: the list goes on. */
export function asOfLines(view: AsOfView, names: NamesInLines): string[] {
  const { position, at, note, handles, profile, timeline, posts, following, followers, blocks, inbox } = view;
  const named = (actorId: string): string => {
    const name = names.named('actors', actorId);
    const handle = Object.hasOwn(handles, actorId) ? handles[actorId] : undefined;
    return name !== actorId || handle === undefined ? name : `${actorId} (@${handle})`;
  };
  const one = (actorId: string): string[] => [named(actorId)];
  const postLines = ({ id, authorActorId, createdAt, eventId, texts, text }: AsOfPost): string[] => [
    `${timeText(createdAt)}  ${id} by ${named(authorActorId)}${texts === 'disclosed' ? ', disclosed' : ''}`,
    ...(text === null ? [noText(texts, eventId)] : text.split('\n')).map((line) => `  ${line}`),
  ];
  return [
    `as of ${timeText(at)}, position ${position}, under today's code`,
    note,
    '',
    `actor ${names.named('actors', profile.actorId)}: ${profile.state}`,
    ...profileLines(profile),
    ...section('timeline', timeline, postLines),
    ...section('own posts and replies', posts, postLines),
    ...section('following', following, one),
    ...section('followers', followers, one),
    ...section('blocks', blocks, one),
    ...section(`inbox, ${inbox.unread} unread`, inbox, ({ kind, sourceActorId, createdAt }) => [
      `${timeText(createdAt)}  ${kind} by ${named(sourceActorId)}`,
    ]),
  ];
}

const missing = { public: 'empty', disclosed: 'empty', hidden: 'not public now', erased: 'erased' } as const;

const noText = (texts: keyof typeof missing, eventId: string | null): string =>
  `[text ${missing[texts]}${eventId === null ? '' : `; event ${eventId}`}]`;

function profileLines({ fields, texts, eventId, followers, following, posts }: AsOfView['profile']) {
  const shown = fields
    ? Object.entries(fields).map(([name, value]) => `${name} ${value ?? 'none'}`)
    : [noText(texts, eventId)];
  const counts = followers === null ? [] : [`followers ${followers}, following ${following}, posts ${posts}`];
  return [...shown, ...counts].map((line) => `  ${line}`);
}

function section<Item>(
  title: string,
  { items, more }: { readonly items: readonly Item[]; readonly more: boolean },
  lines: (item: Item) => string[],
): string[] {
  const count = more ? `the first ${items.length}` : String(items.length);
  return ['', `${title} (${count})`, ...items.flatMap(lines).map((line) => `  ${line}`)];
}
