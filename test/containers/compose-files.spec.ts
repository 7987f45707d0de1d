import { describe, expect, it } from '@jest/globals';
import { readFileSync } from 'node:fs';
import { parse } from 'yaml';
import type { CollectionTag } from 'yaml';

interface Service {
  readonly image?: string;
  readonly build?: unknown;
  readonly restart?: string;
  readonly read_only?: boolean;
  readonly cap_drop?: readonly string[];
  readonly cap_add?: readonly string[];
  readonly security_opt?: readonly string[];
  readonly mem_limit?: string;
  readonly logging?: { readonly options: Readonly<Record<string, string>> };
  readonly healthcheck?: { readonly test?: readonly string[]; readonly disable?: boolean };
  readonly environment?: Readonly<Record<string, string>>;
  readonly networks?: readonly string[] | Readonly<Record<string, unknown>>;
  readonly network_mode?: string;
  readonly ports?: readonly string[];
  readonly secrets?: readonly (string | { readonly source: string; readonly target: string })[];
  readonly volumes?: readonly string[];
  readonly depends_on?: Readonly<Record<string, { readonly condition: string }>>;
}

interface ComposeFile {
  readonly services: Readonly<Record<string, Service>>;
  readonly secrets: Readonly<Record<string, { readonly file?: string }>>;
}

const read = (name: string) => readFileSync(new URL(`../../${name}`, import.meta.url), 'utf8');

/** Compose's own tag. */
const override: CollectionTag = { tag: '!override', collection: 'seq', resolve: (value) => value };

const readCompose = (name: string): ComposeFile =>
  parse(read(name), { merge: true, customTags: [override] }) as ComposeFile;

const single = readCompose('docker-compose.yml');
const cluster = readCompose('docker-compose.cluster.yml');

/** Each service with the settings of both files, as far as the tests read them. */
const merged: [string, Service][] = [
  ...new Set([...Object.keys(single.services), ...Object.keys(cluster.services)]),
].map((name) => {
  const [base, added] = [single.services[name] ?? {}, cluster.services[name] ?? {}];
  return [
    name,
    {
      ...base,
      ...added,
      environment: { ...base.environment, ...added.environment },
      depends_on: { ...base.depends_on, ...added.depends_on },
      secrets: [...(base.secrets ?? []), ...(added.secrets ?? [])],
      volumes: [...(base.volumes ?? []), ...(added.volumes ?? [])],
    },
  ];
});
const byName = Object.fromEntries(merged);
/** Run once at a start, or by an operator. */
const isTool = ({ restart }: Service) => restart === 'no';
const servers = merged.filter(([, service]) => !isTool(service));
const nodes = ['eventstore', 'eventstore-2', 'eventstore-3'];

describe('every service of the compose files', () => {
  it.each(merged)('has no rights that it does not need: %s', (name, service) => {
    expect(service).toMatchObject({
      read_only: true,
      cap_drop: ['ALL'],
      security_opt: ['no-new-privileges:true'],
    });
    const further = { proxy: ['NET_BIND_SERVICE'], 'eventstore-certificates': ['CHOWN'] };
    expect(service.cap_add).toEqual(further[name as keyof typeof further]);
  });

  it.each(merged)('has an image of an exact version and limited logs: %s', (_name, { image, logging }) => {
    expect(image).toMatch(/^(plaza:\$\{PLAZA_VERSION:-latest\}|[a-z/]+:\d+\.\d+(\.\d+)?(-[a-z-]+)?)$/);
    expect(logging?.options).toEqual({ 'max-size': '10m', 'max-file': '5' });
  });

  it.each(merged)('gets its passwords as files: %s', (_name, { environment = {}, secrets = [] }) => {
    const variables = Object.keys(environment);
    expect(variables.filter((name) => /PASSWORD|SECRET|TOKEN/.test(name) && !name.endsWith('_FILE'))).toEqual(
      [],
    );
    const addresses = Object.values(environment).filter((value) => value.includes('://'));
    expect(addresses.filter((value) => /:\/\/[^/@]*:[^/@]*@/.test(value))).toEqual([]);
    const files = variables
      .filter((name) => name.endsWith('_PASSWORD_FILE'))
      .map((name) => environment[name]);
    const mounted = new Set(
      secrets.map((secret) => (typeof secret === 'string' ? `/run/secrets/${secret}` : secret.target)),
    );
    expect(files.filter((file = '') => !mounted.has(file))).toEqual([]);
  });
});

describe('the servers of the compose files', () => {
  it.each(servers)('have a memory limit and a health check, and are restarted: %s', (_name, service) => {
    expect(service.mem_limit).toMatch(/^\d+[gm]$/);
    expect(service.healthcheck).toBeDefined();
    expect(service.healthcheck?.disable).toBeUndefined();
    // The check of Plaza's image is in the Dockerfile.
    const [kind] = service.healthcheck?.test ?? (service.build === undefined ? [] : ['CMD']);
    expect(kind).toMatch(/^CMD/);
    expect(service.restart).toBe('unless-stopped');
  });

  it('are reachable from outside through the proxy alone, and the operators from this machine alone', () => {
    expect(servers.filter(([, { ports }]) => ports).map(([name]) => name)).toEqual(['proxy']);
    for (const { services } of [single, cluster])
      expect(services['proxy']?.ports).toContain('127.0.0.1:3001:3001');
    expect(Object.keys(byName['proxy']?.networks ?? {})).toEqual(['front']);
  });

  it.each(nodes)('limit the chunk cache, so that a full one leaves room below the limit: %s', (name) => {
    expect(byName[name]?.environment).toMatchObject({ EVENTSTORE_CACHED_CHUNKS: '1', DOTNET_gcServer: '0' });
  });
});

describe('the cluster of the compose files', () => {
  it('has one version of EventStoreDB', () => {
    expect(new Set(nodes.map((name) => byName[name]?.image)).size).toBe(1);
  });

  it('gives the tool for files the volume of each node', () => {
    const places = byName['eventstore-files']?.environment?.['DIRECTORIES']?.split(' ') ?? [];
    const volumes = nodes.map((name) =>
      byName[name]?.volumes?.find((volume) => volume.endsWith(':/var/lib/eventstore')),
    );
    expect(volumes).toEqual(
      places.map((place) => {
        const mount = byName['eventstore-files']?.volumes?.find((volume) => volume.endsWith(`:${place}`));
        return mount?.replace(`:${place}`, ':/var/lib/eventstore');
      }),
    );
    // A new volume has the owner of the image's directory.
    for (const place of places)
      expect(read('Dockerfile')).toMatch(new RegExp(`chown node:node.* ${place}\\b`));
  });

  it('starts the network although a node is unhealthy', () => {
    const conditions = merged.flatMap(([, { depends_on = {} }]) =>
      nodes.map((node) => depends_on[node]?.condition).filter((condition) => condition !== undefined),
    );
    expect(new Set(conditions)).toEqual(new Set(['service_started']));
    expect(byName['api-1']?.depends_on).toMatchObject({
      'eventstore-user': { condition: 'service_completed_successfully' },
    });
  });

  it('judges a node by whether it has joined the others', () => {
    for (const name of nodes) {
      const [kind, command = ''] = byName[name]?.healthcheck?.test ?? [];
      expect({ kind, command }).toEqual({ kind: 'CMD-SHELL', command: expect.stringContaining('/info') });
    }
  });
});

describe('the tools for analysts', () => {
  const { analytics, analyst } = byName as Readonly<Record<'analytics' | 'analyst', Service>>;

  it('export under the token of an auditor, recorded by the operator API, with no password of a database', () => {
    const api = byName['api-1'];
    expect(analytics).toMatchObject({
      networks: ['stores'],
      environment: { EVENTSTORE_URL: api?.environment?.['EVENTSTORE_URL'], OPERATOR_HOST: 'api-1' },
      secrets: [{ source: 'analytics', target: '/data/operator.token' }, 'eventstore'],
    });
    expect(api?.networks).toContain('stores');
    expect(read('Dockerfile')).toContain('DATA_DIR=/data');
  });

  it('keep the key apart from the data, by a link that a new volume gets from the image', () => {
    expect(single.services['analytics']?.volumes).toEqual([
      'analytics:/analytics',
      'analytics-key:/analytics-key',
    ]);
    expect(read('Dockerfile')).toMatch(/chown node:node.* \/analytics \/analytics\/set \/analytics-key\b/);
    expect(read('Dockerfile')).toContain('ln -s /analytics-key/key /analytics/set/key');
  });

  it('give an analyst the data alone, read-only: no key, no token, no network', () => {
    expect(analyst).toMatchObject({
      network_mode: 'none',
      volumes: ['analytics:/analytics:ro'],
      secrets: [],
    });
  });
});

it('the documented change of a password names a database that the server has', () => {
  const commands = [
    ...read('docs/deployment.md').matchAll(
      /exec (\S+) psql --username (\S+) --dbname (\S+) --command '\\password'/g,
    ),
  ];
  expect(commands.map(([, service]) => service)).toEqual(['postgres', 'vault']);
  for (const [, service = '', user, database] of commands)
    expect(byName[service]?.environment).toMatchObject({ POSTGRES_USER: user, POSTGRES_DB: database });
});

it('every password is a file of its own', () => {
  for (const { secrets } of [single, cluster])
    for (const [name, secret] of Object.entries(secrets))
      expect(secret).toEqual({ file: `./secrets/${name}` });
});
