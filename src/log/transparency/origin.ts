export const FIRST_GENERATION = 1;

/** The name of a log and of its key: the address at which it is published, without the scheme. `baseUrl`: an origin. */
export const logOrigin = (baseUrl: string, generation = FIRST_GENERATION): string =>
  `${baseUrl.replace(/^https?:\/\//, '')}/log/${generation}`;
