export const FIRST_LOG = 1;

/** The name of a log and of its key: the address at which it is published, without the scheme. `baseUrl`: an origin. */
export const logOrigin = (baseUrl: string, number = FIRST_LOG): string =>
  `${baseUrl.replace(/^https?:\/\//, '')}/log/${number}`;
