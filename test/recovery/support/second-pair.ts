import { readConfig } from '../../../src/base/config/config.js';
import type { Role } from '../../../src/domain/operator/roles.js';
import { operatorClient } from '../../support/operator-client.js';
import type { OperatorClient } from '../../support/operator-client.js';
import type { Browser } from '../../../src/programs/demo/browser.js';
import { operatorOf } from '../../support/api.js';
import { runPlaza } from '../../support/command.js';
import { enrollInConsole } from '../../support/console.js';
import type { TestNetwork } from '../../support/network.js';

/** An operator with a personal token and a session in the console. */
export interface Pair {
  readonly operatorId: string;
  readonly token: string;
  readonly browser: Browser;
  readonly client: OperatorClient;
}

export interface HttpAnswer {
  readonly status: number;
  readonly body: Readonly<Record<string, never>>;
}

const consoleOf = ({ env }: Pick<TestNetwork, 'env'>): string => readConfig(env).operatorBaseUrl;

export async function enrollPair(network: TestNetwork, roles: readonly Role[], name: string): Promise<Pair> {
  const url = consoleOf(network);
  const { browser, operatorId } = await enrollInConsole(url, operatorOf(network), roles, name);
  const own = await browser.open(`${url}/console/own`);
  const form = own.forms.find(({ action }) => action === '/console/own/tokens');
  if (!form) throw new Error(`no form issues a token: ${own.text}`);
  const { text } = await browser.submit(own, form, {});
  const [token = ''] = /plop_[\w-]+/.exec(text) ?? [];
  const env = { ...network.env, OPERATOR_TOKEN: token };
  return { operatorId, token, browser, client: operatorClient(readConfig(env)) };
}

/** Sends JSON to the operator's port. `path`: after `/operator`. */
export async function sendJson(
  network: TestNetwork,
  token: string,
  path: string,
  body: object,
): Promise<HttpAnswer> {
  const { operatorHost, operatorPort } = readConfig(network.env);
  const response = await fetch(`http://${operatorHost}:${operatorPort}/operator${path}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  return { status: response.status, body: (await response.json()) as HttpAnswer['body'] };
}

/** `done`, or the code of the refusal. */
export type Outcome = string;

interface Entrance {
  readonly approve: (by: Pair, approvalId: string, digest: string) => Promise<Outcome>;
  readonly run: (by: Pair, approvalId: string) => Promise<Outcome>;
}

export type EntranceName = 'API' | 'command line' | 'form';

/** The ways to approve an act and to execute it. */
export function entrancesOf(network: TestNetwork): Readonly<Record<EntranceName, Entrance>> {
  const json = async ({ token }: Pair, path: string, body: object): Promise<Outcome> =>
    outcomeOf((await sendJson(network, token, path, body)).body['error']);
  const command = async ({ token }: Pair, ...args: string[]): Promise<Outcome> => {
    const { code, stderr } = await runPlaza(['approval', ...args], { ...network.env, OPERATOR_TOKEN: token });
    return code === 0 ? 'done' : (/\((\w+)\)\s*$/.exec(stderr)?.[1] ?? stderr);
  };
  const form = async ({ browser }: Pair, action: string, fields: Readonly<Record<string, string>>) => {
    const url = consoleOf(network);
    const page = await browser.open(`${url}/console/own`);
    const proof = page.forms[0]?.fields['form'] ?? '';
    const sent = { action, method: 'post', fields: { form: proof }, buttons: [] } as const;
    const { status, text } = await browser.submit(page, sent, fields);
    return status === 200 ? 'done' : (/<p class="small quiet">(\w+)<\/p>/.exec(text)?.[1] ?? text);
  };
  return {
    API: {
      approve: (by, id, digest) => json(by, `/approvals/${id}/approve`, { digest }),
      run: (by, id) => json(by, `/approvals/${id}/run`, {}),
    },
    'command line': {
      approve: (by, id, digest) => command(by, 'approve', id, '--digest', digest),
      run: (by, id) => command(by, 'run', id),
    },
    form: {
      approve: (by, id, digest) => form(by, `/console/approvals/${id}/approve`, { digest }),
      run: (by, id) => form(by, `/console/approvals/${id}/run`, {}),
    },
  };
}

const outcomeOf = (error: string | undefined): Outcome => error ?? 'done';
