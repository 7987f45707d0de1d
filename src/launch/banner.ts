import { resolve } from 'node:path';
import type { Config } from '../config/config.js';

/**
 * What a person reads when the network runs: where it is, where its data is, and what to try next; or what keeps it from
 * being ready.
 */
export function banner(config: Config, faults: readonly string[] = []): string {
  return `
Plaza is running${faults.length === 0 ? '.' : ' and NOT READY:'}
${faults.map((fault) => `\n  ${fault}\n`).join('')}
  network       ${config.baseUrl}
  issuer        ${config.baseUrl}/api/auth/.well-known/openid-configuration
  operator API  ${operatorUrl(config)}, its token in ${config.operatorToken ? 'OPERATOR_TOKEN' : `${config.dataDir}/operator.token`}
  data          ${config.dataDir}
${warnings(config)}
${faults.length === 0 ? whatToTry(config) : whatToDo(config)}

Ctrl-C stops it; the data stays.
`;
}

const whatToTry = (config: Config): string =>
  `Try it from another terminal here${needsToken(config)}. This registers an application and two accounts and walks through the whole flow:

  ${[...settingsNotDefault(config), 'npm run demo'].join(' ')}`;

const whatToDo = ({ baseUrl }: Config): string =>
  `What to do: see docs/recovery.md. It is ready when ${baseUrl}/readyz says so.`;

/** What must not be overlooked. */
function warnings({ rateLimits }: Config): string {
  return rateLimits === 'on'
    ? ''
    : `
  RATE_LIMITS IS OFF: passwords can be guessed without end. For load tests only.
`;
}

/** Where this machine reaches the operator API. */
export function operatorUrl({
  operatorHost,
  operatorPort,
}: Pick<Config, 'operatorHost' | 'operatorPort'>): string {
  const host = { '0.0.0.0': '127.0.0.1', '::': '[::1]' }[operatorHost] ?? operatorHost;
  return `http://${host}:${operatorPort}`;
}

/** The line below cannot say it: it is a secret. */
function needsToken({ operatorToken }: Config): string {
  return operatorToken === undefined ? '' : ', with OPERATOR_TOKEN set as it is here';
}

/** So that the line works as it stands in a shell that has none of our settings. */
function settingsNotDefault(config: Config): string[] {
  const settings = [
    ['PORT', String(config.port), '3000'],
    ['BASE_URL', config.baseUrl, `http://localhost:${config.port}`],
    ['OPERATOR_HOST', config.operatorHost, '127.0.0.1'],
    ['OPERATOR_PORT', String(config.operatorPort), '3001'],
    ['DATA_DIR', config.dataDir, resolve('.data')],
  ] as const;
  return settings
    .filter(([, value, usual]) => value !== usual)
    .map(([name, value]) => `${name}=${quoted(value)}`);
}

/** As a shell reads it back, whatever is in it. */
function quoted(value: string): string {
  return `'${value.replaceAll("'", String.raw`'\''`)}'`;
}
