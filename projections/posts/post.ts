/**
 * The published Post. Timestamps are Unix milliseconds. Only edited posts have `lastEdit…`; only replies have the last
 * four. `parentUnavailable`, `rootUnavailable`: the caller may not see that post.
 */
export interface Post {
  readonly id: string;
  readonly authorActorId: string;
  readonly text: string;
  readonly audience: 'public';
  readonly revision: number;
  readonly createdAt: number;
  readonly originApp: { readonly id: string; readonly name: string };
  readonly edited: boolean;
  readonly lastEditAppId?: string;
  readonly lastEditAt?: number;
  readonly parentId?: string;
  readonly rootId?: string;
  readonly parentUnavailable?: boolean;
  readonly rootUnavailable?: boolean;
}
