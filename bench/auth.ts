import { application, shared, TokenRequests } from './auth/application.js';
import { measureArgon2, measureStatement } from './auth/bare-costs.js';
import { inTurns, load } from './load.js';
import type { Measured, Target } from './load.js';
import { People } from './auth/people.js';
import { startFloor } from './floor.js';
import type { Floor } from './floor.js';
import { startNetwork, withDataDir } from './network.js';
import type { BenchNetwork } from './network.js';

interface Beside extends Measured {
  readonly floor: Pick<Measured, 'perSecond' | 'cpuMs'>;
  readonly ratio: number;
}

export interface AuthBench {
  readonly connections: number;
  /** The password step alone. Floor: bare argon2 verifications with the same concurrency. */
  readonly signIns: Omit<Beside, 'floor'> & { readonly floor: { readonly perSecond: number } };
  readonly argon2Ms: number;
  /** Durable, with an RS256 ID token. Floor: bare oidc-provider with its memory adapter. */
  readonly codeExchanges: Beside;
  readonly refreshes: Beside;
  /** GET /api/session. Floor: Fastify with a constant response. */
  readonly admissions: Beside;
  /** Round trip of the statement that admits a mutation, on one connection. */
  readonly admissionStatementMicroseconds: number;
}

export interface AuthBenchOptions {
  readonly turns?: number;
  readonly signIns?: number;
  /** The bare provider's adapter evicts entries beyond about a thousand. */
  readonly exchanges?: number;
  readonly refreshes?: number;
  readonly admissions?: number;
}

const CONNECTIONS = 16;

/** Sign-ins, token requests and bearer-token admission, each compared with a minimal implementation. */
export function benchAuth(options: AuthBenchOptions = {}): Promise<AuthBench> {
  return withDataDir(async (dataDir) => {
    const network = await startNetwork(dataDir, undefined, { RATE_LIMITS: 'off' });
    const [bare, constant] = [
      await startFloor('auth/bare-provider'),
      await startFloor('auth/constant-server'),
    ];
    try {
      return await measure(network, bare, constant, options);
    } finally {
      await Promise.all([bare.stop(), constant.stop()]);
      await network.stop();
    }
  });
}

async function measure(
  network: BenchNetwork,
  bare: Floor,
  constant: Floor,
  { turns = 3, signIns = 240, exchanges = 192, refreshes = 1_600, admissions = 8_000 }: AuthBenchOptions,
): Promise<AuthBench> {
  const plaza: Target = { url: network.baseUrl, pid: network.run.pids.api ?? 0 };
  const people = await People.on(network, CONNECTIONS);
  const ours = new TokenRequests('/api/auth/oauth2/token', people.app);
  const theirs = new TokenRequests('/token', application);
  const exchange = (target: Target, requests: TokenRequests, codes: readonly string[]) => {
    const sendings = codes.map((code) => requests.exchange(code));
    return load(target, shared(sendings, CONNECTIONS), exchanges, 200);
  };
  const refresh = (target: Target, requests: TokenRequests, tokens: readonly string[]) => {
    const chains = tokens.map((token) => requests.chain(token));
    return load(target, chains, refreshes, 200);
  };

  const signedIn = await inTurns(turns, {
    plaza: async () => load(plaza, shared(await people.signIns(signIns), CONNECTIONS), signIns, 303),
  });
  const argon2 = await measureArgon2(signIns, CONNECTIONS);
  const exchanged = await inTurns(turns, {
    plaza: async () => exchange(plaza, ours, await people.codes(exchanges)),
    floor: async () =>
      exchange(bare, theirs, await bare.ask({ kind: 'AuthorizationCode', count: exchanges })),
  });
  const refreshed = await inTurns(turns, {
    plaza: async () => refresh(plaza, ours, await refreshTokens(network, people, ours)),
    floor: async () => refresh(bare, theirs, await bare.ask({ kind: 'RefreshToken', count: CONNECTIONS })),
  });
  const { access_token: token } = await tokensOf(network, people, ours);
  const session = {
    path: '/api/session',
    method: 'GET',
    headers: { authorization: `Bearer ${token}` },
  } as const;
  const readers = Array.from({ length: CONNECTIONS }, () => ({ first: session }));
  const admitted = await inTurns(turns, {
    plaza: () => load(plaza, readers, admissions, 200),
    floor: () => load(constant, readers, admissions, 200),
  });
  return {
    connections: CONNECTIONS,
    signIns: {
      ...signedIn.plaza,
      floor: { perSecond: argon2.perSecond },
      ratio: ratio(signedIn.plaza, argon2),
    },
    argon2Ms: argon2.ms,
    codeExchanges: beside(exchanged),
    refreshes: beside(refreshed),
    admissions: beside(admitted),
    admissionStatementMicroseconds: await measureStatement(network.run.settings['DATABASE_URL'] ?? '', token),
  };
}

const ratio = (figure: { perSecond: number }, floor: { perSecond: number }) =>
  Number((figure.perSecond / floor.perSecond).toFixed(2));

function beside({ plaza, floor }: Record<'plaza' | 'floor', Measured>): Beside {
  const { perSecond, cpuMs } = floor;
  return { ...plaza, floor: { perSecond, cpuMs }, ratio: ratio(plaza, floor) };
}

interface Tokens {
  readonly access_token: string;
  readonly refresh_token: string;
}

async function tokensFor(network: BenchNetwork, requests: TokenRequests, code: string): Promise<Tokens> {
  const { path, method, headers, body = '' } = requests.exchange(code);
  const response = await fetch(network.baseUrl + path, { method, headers, body });
  if (!response.ok) throw new Error(`a code was not exchanged: ${await response.text()}`);
  return (await response.json()) as Tokens;
}

async function tokensOf(network: BenchNetwork, people: People, requests: TokenRequests): Promise<Tokens> {
  const [code = ''] = await people.codes(1);
  return tokensFor(network, requests, code);
}

async function refreshTokens(network: BenchNetwork, people: People, requests: TokenRequests) {
  const codes = await people.codes(CONNECTIONS);
  const tokens = await Promise.all(codes.map((code) => tokensFor(network, requests, code)));
  return tokens.map(({ refresh_token }) => refresh_token);
}
