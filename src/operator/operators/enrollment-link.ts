import type { Config } from '../../base/config/config.js';

/** The page of the console that registers a passkey by a code. */
export const enrollmentLink = ({ operatorBaseUrl }: Pick<Config, 'operatorBaseUrl'>, code: string): string =>
  `${operatorBaseUrl}/console/enrollments?code=${code}`;
