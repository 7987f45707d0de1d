/** The published Post. Timestamps are Unix milliseconds. The last four stand in replies only. */
export interface Post {
  readonly id: string;
  readonly authorActorId: string;
  readonly text: string;
  readonly audience: 'public';
  readonly revision: number;
  readonly createdAt: number;
  readonly originApp: { readonly id: string; readonly name: string };
  readonly edited: boolean;
  /** Of edited posts only: application and time of the last edit. */
  readonly lastEditAppId?: string;
  readonly lastEditAt?: number;
  readonly parentId?: string;
  readonly rootId?: string;
  /** The parent cannot be shown to this caller; likewise the root. */
  readonly parentUnavailable?: boolean;
  readonly rootUnavailable?: boolean;
}
