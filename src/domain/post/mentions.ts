import { Refusal } from '../refusal.js';

/** More than that is no conversation, and each one costs a look at who it is. */
export const MOST_HANDLES = 50;

/**
 * A URL, which names nobody, or `@handle`: neither the end of an e-mail address or of a path, nor the beginning of
 * another network's address (`@ada@elsewhere.example`) or domain (`@ada.example`). A handle is never cut: where more
 * of a word follows, that word is no handle. Only Latin letters join a word, since other scripts write without spaces.
 */
const urlOrMention =
  /(?<![A-Za-z0-9+.-])[A-Za-z0-9+.-]+:\/\/\S+|(?<![\p{Script=Latin}\p{M}0-9_@/-])@([A-Za-z0-9_]{3,30})(?![\p{Script=Latin}\p{M}0-9_@]|\.[\p{Script=Latin}0-9])/gu;

/** The handles that a text (NFC) names as `@handle`, in lower case, each once and in their order. */
export function mentionedHandles(text: string): readonly string[] | Refusal {
  const named = [...text.matchAll(urlOrMention)].flatMap(([, handle]) => handle?.toLowerCase() ?? []);
  const handles = [...new Set(named)];
  return handles.length > MOST_HANDLES
    ? new Refusal(
        'domain_plan_too_large',
        `text names ${handles.length} handles; name at most ${MOST_HANDLES} in one post.`,
      )
    : handles;
}
