/**
 * Every act with every credential, as docs/operator-acts.md says.
 * @sample first
 */
import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { roles } from '../../src/domain/operator/roles.js';
import { foundNetwork } from '../../projections/incarnations/network-identity.js';
import { startOperatorApi } from '../../src/operator/entrances/operator-server.js';
import { operatorClient } from '../support/operator-client.js';
import { commandLine } from '../../src/programs/plaza/program.js';
import { environment } from '../support/command.js';
import { enrollInConsole } from '../support/console.js';
import type { ConsoleUser } from '../support/console.js';
import { enrollOperator } from '../support/operators.js';
import { startAuthNetwork } from './support/auth-network.js';
import type { AuthNetwork } from './support/auth-network.js';

let network: AuthNetwork;
let operatorApi: { close(): Promise<void> };
let url: string;
/** Tokens by the heading of their column. */
const tokens = new Map<string, string>();

beforeAll(async () => {
  network = await startAuthNetwork();
  await foundNetwork(network.log(), { uuid: randomUUID, networkId: () => 'n-1' }, Date.now);
  operatorApi = await startOperatorApi(network.app());
  const { operatorHost, operatorPort, dataDir, port } = network.config;
  url = `http://${operatorHost}:${operatorPort}`;
  const shared = operatorClient(network.config);
  for (const role of roles) tokens.set(role, (await enrollOperator(shared, [role])).token);
  tokens.set('shared token', readFileSync(join(dataDir, 'operator.token'), 'utf8').trim());
  tokens.set('limited', tokens.get('shared token') ?? '');
  const settings = { PORT: String(port), OPERATOR_PORT: String(operatorPort), DATA_DIR: dataDir };
  process.env = environment(settings);
});

afterAll(async () => {
  await operatorApi?.close();
  await network?.stop();
});

interface Row {
  readonly act: string;
  readonly method: string;
  readonly path: string;
  readonly command: string;
  /** Its address in the console, or an empty text. */
  readonly console: string;
  /** `yes` or `no` by column. */
  readonly answers: ReadonlyMap<string, string>;
}

const published = readFileSync(new URL('../../docs/operator-acts.md', import.meta.url), 'utf8');
const [head = [], , ...body] = published
  .split('\n')
  .filter((line) => line.startsWith('|'))
  .map((line) =>
    line
      .split('|')
      .slice(1, -1)
      .map((cell) => cell.trim().replaceAll('`', '')),
  );
const headings = head.slice(6);
const rows: readonly Row[] = body
  .filter((cells) => cells.length === head.length)
  .map(([act = '', route = '', command = '', inConsole = '', _reason, _approval, ...answers]) => {
    const [method = '', path = ''] = route.split(' ');
    return {
      act,
      method,
      path,
      command,
      console: inConsole.replace(/^(page|form) /, ''),
      answers: new Map(headings.map((of, at) => [of, answers[at] ?? ''])),
    };
  });

const isOfConsole = (path: string): boolean => /^\/console(\/|$)/.test(path);

/** The answers of the acts that differ from the table. An input that nothing accepts keeps each act from happening. */
async function differencesByApi(heading: string): Promise<string[]> {
  const differences: string[] = [];
  for (const { act, method, path, answers } of rows.filter(
    ({ act, path }) => act !== 'metrics.read' && !isOfConsole(path),
  )) {
    const response = await fetch(
      `${url}${path.replaceAll(/:\w+/g, 'nobody')}${act === 'audit.read' || act === 'audit.export' ? '?nonsense=0' : ''}`,
      {
        method,
        headers: { authorization: `Bearer ${tokens.get(heading)}`, 'content-type': 'application/json' },
        ...(method === 'POST' && { body: JSON.stringify({ nonsense: true }) }),
      },
    );
    const { error, message } = (await response.json()) as {
      readonly error?: string;
      readonly message?: string;
    };
    const isRefused = response.status === 403 && error === 'capability_required';
    const isServed = response.status !== 401 && message !== 'There is nothing at this address.';
    // An open act refuses the input, and not the caller.
    if (!isServed || isRefused === (answers.get(heading) === 'yes' || act === 'operator.enroll'))
      differences.push(`${act}: ${response.status} ${error}`);
  }
  return differences;
}

/** Arguments that are refused by the server for what they ask, if the caller is admitted. */
const argumentsOf: Readonly<Record<string, readonly string[]>> = {
  'account create': ['--handle', 'A', '--display-name', 'A', '--email', 'a', '--password-stdin'],
  'account suspend': ['nobody', '--reason', ''],
  'account reinstate': ['nobody', '--reason', ''],
  'account erase': ['nobody', '--reason', ''],
  'account cancel-erasure': ['nobody', '--reason', ''],
  'account recovery-link': ['nobody', '--reason', ''],
  'account end-recovery-link': ['nobody', '--reason', ''],
  'account export': ['nobody', '--reason', ''],
  'app list': [],
  'app impact': ['nobody'],
  'app show': ['nobody'],
  'app register': ['--name', '', '--redirect-uri', 'x', '--scope', 'x'],
  'app suspend': ['nobody'],
  'app update': ['nobody', '--reason', ''],
  'app reinstate': ['nobody'],
  'app rotate-secret': ['nobody'],
  'app revoke-grants': ['nobody'],
  'app restrict-posts': ['nobody', '--from', 'x', '--until', 'x', '--reason', 'x'],
  'approval list': [],
  'approval show': ['nobody'],
  'approval approve': ['nobody', '--digest', 'x'],
  'approval refuse': ['nobody', '--reason', ''],
  'approval run': ['nobody'],
  'four-eyes status': [],
  'four-eyes on': ['--reason', ''],
  'four-eyes off': ['--reason', ''],
  'batch list': [],
  'batch status': ['nobody'],
  'batch undo': ['nobody', '--reason', ''],
  'post restrict': ['nobody', '--reason', ''],
  'post unrestrict': ['nobody', '--reason', ''],
  'case list': [],
  'case show': ['nobody'],
  'case next': ['--reason', ''],
  'case claim': ['nobody'],
  'case release': ['nobody'],
  'case note': ['nobody'],
  'case decide': ['nobody', '--outcome', 'violation', '--reason', ''],
  'case reopen': ['nobody', '--reason', ''],
  'case appeal uphold': ['nobody', '--reason', ''],
  'case appeal overturn': ['nobody', '--reason', ''],
  audit: [],
  'audit --follow': ['--follow', '--after', 'x'],
  disclose: ['nothing', '--reason', 'x'],
  'export audit': [join(tmpdir(), 'plaza-export-of-nobody'), '--reason', ''],
  'as-of': ['x', '--actor', 'nobody'],
  'publishing pause': ['--reason', ''],
  'publishing resume': ['--reason', ''],
  'registration status': [],
  'registration open': ['--reason', ''],
  'registration closed': ['--reason', ''],
  'keys list': [],
  'keys rotate': ['--reason', ''],
  'projections status': [],
  'projections rebuild': ['--reason', ''],
  'recovery status': [],
  'recovery plan': [],
  'recovery apply': ['--reason', ''],
  'recovery rollback': ['--reason', ''],
  'operator list': [],
  'operator invite': ['--name', '', '--role', 'viewer'],
  'operator confirm': ['nobody'],
  'operator roles': ['nobody', '--role', 'viewer', '--reason', ''],
  'operator suspend': ['nobody', '--reason', ''],
  'operator reinstate': ['nobody', '--reason', ''],
  'operator token issue': ['--reason', ''],
  'operator token revoke TOKEN': ['nobody'],
  'operator token revoke TOKEN --of OPERATOR': ['nobody', '--of', 'nobody', '--reason', ''],
  'operator limit-shared-token': ['--reason', ''],
  'operator passkey remove PASSKEY': ['nobody'],
  'operator passkey remove PASSKEY --of OPERATOR': ['nobody', '--of', 'nobody', '--reason', ''],
  'operator passkey add': [],
  'operator sign-out': ['--reason', ''],
  'grant revoke': ['nobody'],
};

async function differencesByCommand(heading: string): Promise<string[]> {
  process.env['OPERATOR_TOKEN'] = tokens.get(heading);
  const writing = jest.spyOn(process.stdout, 'write').mockImplementation(() => true);
  const warning = jest.spyOn(console, 'error').mockImplementation(() => undefined);
  const differences: string[] = [];
  try {
    // These need a directory, and are tried in backup.spec.ts and analytics/network.spec.ts; a code of enrollment is no
    // role's.
    const left = new Set([
      'backup.begin',
      'analytics.export',
      'analytics.decrypt',
      'analytics.resolve',
      'analytics.resolve_operator',
      'operator.enroll',
    ]);
    const withCommand = rows.filter(({ act, command }) => command !== '' && !left.has(act));
    for (const { act, command, answers } of withCommand) {
      const name = command.replace(/^plaza /, '');
      const args = argumentsOf[name];
      if (!args) throw new Error(`no arguments for plaza ${name}`);
      const words = name.split(' ').filter((word) => !/^[A-Z]|^--/.test(word));
      const answer = await commandLine()
        .parseAsync([...words, ...args], { from: 'user' })
        .then(() => '', String);
      if (answer.includes('(capability_required)') !== (answers.get(heading) === 'no'))
        differences.push(`${act}: ${answer}`);
    }
  } finally {
    writing.mockRestore();
    warning.mockRestore();
    delete process.env['OPERATOR_TOKEN'];
  }
  return differences;
}

/** A reason that nothing accepts keeps the act from happening. */
const tooLong = 'x'.repeat(501);

async function differencesInConsole(user: ConsoleUser): Promise<string[]> {
  const { operatorBaseUrl } = network.config;
  const [heading = ''] = user.roles;
  const own = await user.browser.open(`${operatorBaseUrl}/console/own`);
  const proof = own.forms[0]?.fields['form'] ?? '';
  const differences: string[] = [];
  // An open act refuses the input, and not the caller.
  const guarded = rows.filter(
    ({ act, console }) => console !== '' && !openActs.has(act) && act !== 'own.sign_out',
  );
  for (const { act, method, console, answers } of guarded) {
    const action = console.replaceAll(/:\w+/g, 'nobody');
    const { status, text } =
      method === 'GET'
        ? await user.browser.open(operatorBaseUrl + action)
        : await user.browser.submit(
            own,
            { action, method: 'post', fields: { form: proof, reason: tooLong }, buttons: [] },
            {},
          );
    const isRefused = status === 403 && text.includes('capability_required');
    if (isRefused === (answers.get(heading) === 'yes') || status === 401 || status >= 500)
      differences.push(`${act}: ${status} ${text}`);
  }
  return differences;
}

const openActs = new Set([
  'metrics.read',
  'operator.enroll_with_passkey',
  'operator.sign_in',
  'console.open',
  'console.asset',
  'console.ask_sign_in',
  'console.ask_enrollment',
  // Its answer does not end; every role may read it.
  'console.follow_plots',
]);

beforeAll(() => {
  // A password for `account create`, which reads it to its end.
  jest.spyOn(process, 'stdin', 'get').mockImplementation(() => Readable.from(['short']) as never);
});

describe('an act answers as the published table says', () => {
  it('of every route', () => {
    expect(rows.length).toBeGreaterThan(35);
    expect(headings).toEqual([...roles, 'shared token', 'limited']);
  });

  it.each([...roles, 'shared token'])('by API, with the credential of: %s', async (heading) => {
    expect(await differencesByApi(heading)).toEqual([]);
  });

  it.each([...roles, 'shared token'])('by command, with the credential of: %s', async (heading) => {
    expect(await differencesByCommand(heading)).toEqual([]);
  });

  it.each([...roles])('in the console, with the role: %s', async (role) => {
    const shared = operatorClient(network.config);
    const user = await enrollInConsole(network.config.operatorBaseUrl, shared, [role]);
    expect(await differencesInConsole(user)).toEqual([]);
  });

  it('with the shared token once it is limited', async () => {
    await operatorClient(network.config).post('shared-token/limit', { reason: 'a test' });
    expect(await differencesByApi('limited')).toEqual([]);
    expect(await differencesByCommand('limited')).toEqual([]);
  });

  it('without a credential: refused, but for metrics and enrollment', async () => {
    for (const { act, method, path } of rows.filter(({ path }) => !isOfConsole(path))) {
      const response = await fetch(url + path.replaceAll(/:\w+/g, 'nobody'), { method });
      const isOpen = act === 'metrics.read' || act === 'operator.enroll';
      expect([act, response.status === 401]).toEqual([act, !isOpen]);
    }
  });
});
