/** Given to a page with the answer of its act. */
export interface View {
  readonly query: Readonly<Record<string, string>>;
  /** True: the browser loads the page again by itself. */
  readonly isReloading: boolean;
}

/** Seconds after which the page of unfinished work is loaded again. */
export const RELOAD_SECONDS = 3;
