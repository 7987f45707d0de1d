import { resolve } from 'node:path';
import type { Config } from '../base/config/config.js';
import { localUrl } from './local-url.js';

/**
 * Returns the text that a started network prints: addresses, data directory and next steps. `faults`: the reasons why
 * the network is not ready. `logKeys`: as `/log/key` has them; undefined: it did not answer.
 */
export function banner(config: Config, faults: readonly string[] = [], logKeys?: readonly string[]): string {
  return `
Plaza is running${faults.length === 0 ? '.' : ' and NOT READY:'}
${faults.map((fault) => `\n  ${fault}\n`).join('')}
  network       ${config.baseUrl}
  issuer        ${config.baseUrl}/api/auth/.well-known/openid-configuration
  operator API  ${operatorUrl(config)}, its token in ${config.operatorToken ? 'OPERATOR_TOKEN' : `${config.dataDir}/operator.token`}
  console       ${config.operatorBaseUrl}/console
  data          ${config.dataDir}
${(logKeys ?? [`see ${config.baseUrl}/log/key`]).map((key) => `  log key       ${key}\n`).join('')}${warnings(config)}
${faults.length === 0 ? demoAdvice(config) : recoveryAdvice(config)}

Ctrl-C stops it; the data stays.
`;
}

const demoAdvice = (config: Config): string =>
  `Try it from another terminal here${tokenHint(config)}. This fills an empty network with people, and serves the reference application:

  ${[...nonDefaultSettings(config), 'npm run demo'].join(' ')}

To sign in to the console, become the first administrator: this prints a link, and the browser makes a passkey there.

  ${[...nonDefaultSettings(config), 'npx plaza operator invite --name YOU --role administrator'].join(' ')}`;

const recoveryAdvice = ({ baseUrl }: Config): string =>
  `What to do: see docs/recovery.md. The network is ready when ${baseUrl}/readyz answers ok.`;

function warnings({ rateLimits }: Config): string {
  return rateLimits === 'on'
    ? ''
    : `
  RATE_LIMITS IS OFF: attackers can guess passwords without limit. Use it for load tests only.
`;
}

export function operatorUrl({
  operatorHost,
  operatorPort,
}: Pick<Config, 'operatorHost' | 'operatorPort'>): string {
  return localUrl(operatorHost, operatorPort);
}

function tokenHint({ operatorToken }: Config): string {
  return operatorToken === undefined ? '' : ', with OPERATOR_TOKEN set as it is here';
}

/** Settings to set before a command that speaks to this network, as a shell reads them. */
export function nonDefaultSettings(config: Config): string[] {
  const settings = [
    ['PORT', String(config.port), '3000'],
    ['BASE_URL', config.baseUrl, `http://localhost:${config.port}`],
    ['OPERATOR_HOST', config.operatorHost, '127.0.0.1'],
    ['OPERATOR_PORT', String(config.operatorPort), '3001'],
    ['REFERENCE_APP_PORT', String(config.referenceAppPort), '3002'],
    ['DATA_DIR', config.dataDir, resolve('.data')],
  ] as const;
  return settings
    .filter(([, value, defaultValue]) => value !== defaultValue)
    .map(([name, value]) => `${name}=${quoted(value)}`);
}

function quoted(value: string): string {
  return `'${value.replaceAll("'", String.raw`'\''`)}'`;
}
