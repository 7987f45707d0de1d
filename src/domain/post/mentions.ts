import { Refusal } from '../refusal.js';

export const MAX_MENTIONS = 50;

/**
 * Matches `@handle`, or a whole URL, in which no handle counts. Does not match the end of an e-mail address or path,
 * nor the start of a foreign address (`@ada@elsewhere.example`) or domain (`@ada.example`), nor a part of a longer
 * word. Only Latin letters make a word longer, since other scripts write without spaces.
 */
const urlOrMention =
  /(?<![A-Za-z0-9+.-])[A-Za-z0-9+.-]+:\/\/\S+|(?<![\p{Script=Latin}\p{M}0-9_@/-])@([A-Za-z0-9_]{3,30})(?![\p{Script=Latin}\p{M}0-9_@]|\.[\p{Script=Latin}0-9])/gu;

/**
 * Returns the mentioned handles of a text in NFC: lowercase, unique, in order. Refuses more than {@link MAX_MENTIONS}.
 */
export function mentionedHandles(text: string): readonly string[] | Refusal {
  const mentions = [...text.matchAll(urlOrMention)].flatMap(([, handle]) => handle?.toLowerCase() ?? []);
  const handles = [...new Set(mentions)];
  return handles.length > MAX_MENTIONS
    ? new Refusal(
        'domain_plan_too_large',
        `text names ${handles.length} handles; name at most ${MAX_MENTIONS} in one post.`,
      )
    : handles;
}
