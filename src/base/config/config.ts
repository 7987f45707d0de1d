import { resolve } from 'node:path';
import { z } from 'zod';
import { severities } from '../../domain/report/report-reasons.js';
import type { Severity } from '../../domain/report/report-reasons.js';
import { durationOf } from '../support/duration.js';
import { terminal } from '../terminal/terminal.js';
import { AddressError } from './event-store-address.js';
import { readEventStoreAddress } from './event-store-files.js';
import { mailboxOf } from '../../domain/account/mailbox.js';
import { readPassword, withPasswordsFromFiles } from './password-files.js';
import { listenHostOf } from './loopback.js';
import { isAddressRange } from './trusted-proxies.js';

/**
 * The configuration of every process; no other file takes settings from the environment. Names and defaults: README.md.
 * A class, so that it can be a token of Nest's container.
 */
export abstract class Config {
  abstract readonly role: 'all' | 'api' | 'projector';
  abstract readonly host: string;
  abstract readonly port: number;
  /** Origin of the network, without a trailing slash: the base of the issuer, and the only accepted `Origin`. */
  abstract readonly baseUrl: string;
  abstract readonly operatorHost: string;
  abstract readonly operatorPort: number;
  abstract readonly operatorBaseUrl: string;
  /** The port of `examples/reference-app`. No process of the network uses it. */
  abstract readonly referenceAppPort: number;
  abstract readonly metricsPort: number | undefined;
  abstract readonly metricsHosts: readonly string[];
  abstract readonly dataDir: string;
  /** Undefined: `ROLE=all` starts an event store of its own. The same holds for the URLs of the databases. */
  abstract readonly eventStoreUrl: string | undefined;
  abstract readonly eventStoreShared: 'on' | 'off';
  abstract readonly eventStoreTls: 'auto' | 'on';
  abstract readonly databaseUrl: string | undefined;
  abstract readonly vaultDatabaseUrl: string | undefined;
  /** Undefined in a process with ROLE `api` or `projector`: it rejects every restriction. */
  abstract readonly witnessDatabaseUrl: string | undefined;
  abstract readonly registration: 'open' | 'closed';
  /** Beside the handles that are always reserved. */
  abstract readonly reservedHandles: readonly string[];
  abstract readonly trustedProxies: readonly string[];
  /** `on`: `plaza analytics export` works without the operator API, which records it. */
  abstract readonly analyticsExportAlone: 'on' | 'off';
  abstract readonly rateLimits: 'on' | 'off';
  abstract readonly fanOutThreshold: number;
  /** Ages at which an undecided case counts as old. */
  abstract readonly caseTargetHours: Readonly<Record<Severity, number>>;
  /** In UTC. */
  abstract readonly erasureRewriteHour: number | 'off';
  /** A duration: see `establishedFrom` (src/domain/four-eyes/standing.ts). */
  abstract readonly fourEyesMinAge: string;
  /** Reasons of decisions to choose from. Undefined: the words of reports. */
  abstract readonly caseReasons: readonly string[] | undefined;
  /** Where the source of this release can be read. Undefined: pages name its files without a link. */
  abstract readonly sourceUrl: string | undefined;
  /** An e-mail address or a URL of the operators, for people and developers. */
  abstract readonly operatorContact: string | undefined;
  /** `on`: the landing page has counts of the last days. */
  abstract readonly publicNumbers: 'on' | 'off';
  /** Without a password. Undefined: see `mailDelivery`. */
  abstract readonly smtpUrl: string | undefined;
  abstract readonly smtpPassword: string | undefined;
  /** The address that mails come from. Undefined only without `smtpUrl`. */
  abstract readonly mailFrom: string | undefined;
  abstract readonly operatorToken: string | undefined;
  /** Base URL of an OpenTelemetry collector. Undefined: no traces are exported. */
  abstract readonly otlpEndpoint: string | undefined;
  abstract readonly logLevel: 'fatal' | 'error' | 'warn' | 'info' | 'debug' | 'silent';
}

export interface StoreUrls {
  readonly eventStoreUrl: string;
  readonly databaseUrl: string;
  readonly vaultDatabaseUrl: string;
  readonly witnessDatabaseUrl: string | undefined;
}

export function storesOf(config: Config): StoreUrls {
  const { eventStoreUrl, databaseUrl, vaultDatabaseUrl, witnessDatabaseUrl } = config;
  if (eventStoreUrl === undefined || databaseUrl === undefined || vaultDatabaseUrl === undefined)
    throw new ConfigError(['ROLE: must be api or projector for a process of its own']);
  return { eventStoreUrl, databaseUrl, vaultDatabaseUrl, witnessDatabaseUrl };
}

/** Invalid settings: one fault a line, by the name of the variable, never with a value. */
export class ConfigError extends Error {
  constructor(readonly faults: readonly string[]) {
    super(faults.join('\n'));
    this.name = 'ConfigError';
  }
}

export const DEFAULT_FAN_OUT_THRESHOLD = 500;
const DEFAULT_REWRITE_HOUR = 3;
const TARGET_HOURS: Config['caseTargetHours'] = { low: 168, medium: 72, high: 24, critical: 24 };

const port = z.coerce.number('must be a port number').int().min(1).max(65_535, 'must be a port number');
const urlWith = (...protocols: string[]) =>
  z
    .string()
    .refine(
      (value) => protocols.includes(parsedUrl(value)?.protocol ?? '') && parsedUrl(value)?.hostname !== '',
      {
        error: `must be a URL that starts with ${protocols.map((p) => `${p}//`).join(' or ')} and names a host`,
      },
    );
const parsedUrl = (value: string): URL | undefined => (URL.canParse(value) ? new URL(value) : undefined);
const eventStoreUrl = z.string().superRefine((value, context) => {
  for (const message of faultsOf(value)) context.addIssue({ code: 'custom', message });
});
const postgresUrl = urlWith('postgres:', 'postgresql:');
const origin = z.string().refine((value) => isOrigin(parsedUrl(value)), {
  error: 'must be an origin: http:// or https://, host and port, without a path',
});
const isOrigin = (url: URL | undefined): boolean =>
  url !== undefined && /^https?:$/.test(url.protocol) && url.href === `${url.origin}/`;
const proxies = z
  .string()
  .transform((value) => value.split(',').map((range) => range.trim()))
  .refine((ranges) => ranges.every(isAddressRange), {
    error: 'must be addresses and CIDRs, separated by commas',
  });

/** Severities that it does not name keep their default. */
const targetHours = z
  .string()
  .transform((value) => value.split(',').map((target) => target.trim().split('=')))
  .refine(
    (all) =>
      all.every(([of, hours]) => severities.includes(of as Severity) && /^[1-9]\d{0,3}$/.test(hours ?? '')),
    {
      error: `must be hours from 1 to 9999 by severity, separated by commas: ${severities.map((of) => `${of}=${TARGET_HOURS[of]}`).join(',')}`,
    },
  )
  .transform((all) => ({
    ...TARGET_HOURS,
    ...Object.fromEntries(all.map(([of, hours]) => [of, Number(hours)])),
  }));

const names = z
  .string()
  .transform((value) => value.split(',').map((name) => name.trim().toLowerCase()))
  .refine((all) => all.every((name) => URL.parse(`http://${name}/`)?.hostname === name), {
    error: 'must be host names without a port, separated by commas',
  });

const handles = z
  .string()
  .transform((value) => value.split(',').map((handle) => handle.trim()))
  .refine((all) => all.every((handle) => /^[a-z0-9_]{3,30}$/.test(handle)), {
    error: 'must be handles of 3 to 30 lowercase letters, digits or underscores, separated by commas',
  });

const smtpUrl = z.string().refine(isSmtpUrl, {
  error:
    'must be smtp:// or smtps://, a user if the server asks for one, and host and port; the password goes into SMTP_PASSWORD_FILE',
});

function isSmtpUrl(value: string): boolean {
  const url = parsedUrl(value);
  return (
    url !== undefined &&
    /^smtps?:$/.test(url.protocol) &&
    url.hostname !== '' &&
    url.password === '' &&
    isDecodable(url.username) &&
    /^\/?$/.test(url.pathname + url.search + url.hash)
  );
}

function isDecodable(text: string): boolean {
  try {
    decodeURIComponent(text);
    return true;
  } catch {
    return false;
  }
}

const caseReasons = z
  .string()
  .transform((value) => value.split(';').map((reason) => reason.trim()))
  .refine(
    (all) => all.length <= 9 && all.every((each) => /^[^\p{Cc}\p{Bidi_Control}\p{Cs}]{1,100}$/u.test(each)),
    {
      error: 'must be at most 9 reasons of 1 to 100 characters, separated by semicolons',
    },
  );

const contact = z
  .string()
  .refine(
    (value) => z.email().safeParse(value).success || /^https?:$/.test(parsedUrl(value)?.protocol ?? ''),
    {
      error: 'must be an e-mail address, or a URL that starts with https:// or http://',
    },
  );

const environment = z
  .object({
    ROLE: z.enum(['all', 'api', 'projector']).default('all'),
    HOST: z.string().optional(),
    PORT: port.default(3000),
    BASE_URL: origin.optional(),
    OPERATOR_HOST: z.string().default('127.0.0.1'),
    OPERATOR_PORT: port.default(3001),
    OPERATOR_BASE_URL: origin.optional(),
    REFERENCE_APP_PORT: port.default(3002),
    METRICS_PORT: port.optional(),
    METRICS_HOSTS: names.optional(),
    OPERATOR_TOKEN: z.string().min(32, 'must have at least 32 characters').optional(),
    DATA_DIR: z.string().default('.data'),
    EVENTSTORE_URL: eventStoreUrl.optional(),
    EVENTSTORE_SHARED: z.enum(['on', 'off']).default('off'),
    EVENTSTORE_TLS: z.enum(['auto', 'on']).default('auto'),
    DATABASE_URL: postgresUrl.optional(),
    VAULT_DATABASE_URL: postgresUrl.optional(),
    WITNESS_DATABASE_URL: postgresUrl.optional(),
    REGISTRATION: z.enum(['open', 'closed']).optional(),
    RESERVED_HANDLES: handles.optional(),
    TRUSTED_PROXIES: proxies.optional(),
    ANALYTICS_EXPORT_ALONE: z.enum(['on', 'off']).default('off'),
    RATE_LIMITS: z.enum(['on', 'off']).default('on'),
    FAN_OUT_THRESHOLD: z
      .string()
      .regex(/^[0-9]{1,6}$/, 'must be a whole number up to 999999')
      .transform(Number)
      .default(DEFAULT_FAN_OUT_THRESHOLD),
    CASE_TARGET_HOURS: targetHours.default(TARGET_HOURS),
    ERASURE_REWRITE_HOUR: z
      .union(
        [
          z.literal('off'),
          z
            .string()
            .regex(/^(1?[0-9]|2[0-3])$/)
            .transform(Number),
        ],
        {
          error: 'must be an hour from 0 to 23, or off',
        },
      )
      .default(DEFAULT_REWRITE_HOUR),
    FOUR_EYES_MIN_AGE: z
      .string()
      .refine((value) => (durationOf(value) ?? 0) > 0, {
        error: 'must be a duration above 0, a number below 1000000 with s, m, h or d: 7d',
      })
      .default('7d'),
    CASE_REASONS: caseReasons.optional(),
    SOURCE_URL: urlWith('http:', 'https:').optional(),
    OPERATOR_CONTACT: contact.optional(),
    PUBLIC_NUMBERS: z.enum(['on', 'off']).default('off'),
    SMTP_URL: smtpUrl.optional(),
    SMTP_PASSWORD_FILE: z.string().optional(),
    MAIL_FROM: z
      .string()
      .refine((value) => mailboxOf(value)?.address === value, {
        error: 'must be an e-mail address alone, with its domain in lower case: plaza@example.org',
      })
      .optional(),
    OTEL_EXPORTER_OTLP_ENDPOINT: urlWith('http:', 'https:').optional(),
    LOG_LEVEL: z.enum(['fatal', 'error', 'warn', 'info', 'debug', 'silent']).default('info'),
  })
  .superRefine((env, context) => {
    if (env.PORT === env.OPERATOR_PORT)
      context.addIssue({ code: 'custom', path: ['OPERATOR_PORT'], message: 'must differ from PORT' });
    if (env.METRICS_PORT === env.PORT || env.METRICS_PORT === env.OPERATOR_PORT)
      context.addIssue({
        code: 'custom',
        path: ['METRICS_PORT'],
        message: 'must differ from PORT and OPERATOR_PORT',
      });
    for (const [name, message] of mailFaults(env))
      context.addIssue({ code: 'custom', path: [name], message });
    if (env.ROLE === 'all') return;
    for (const name of ['EVENTSTORE_URL', 'DATABASE_URL', 'VAULT_DATABASE_URL'] as const)
      if (env[name] === undefined)
        context.addIssue({ code: 'custom', path: [name], message: 'is required unless ROLE is all' });
  });

interface MailVariables {
  readonly SMTP_URL?: string | undefined;
  readonly SMTP_PASSWORD_FILE?: string | undefined;
  readonly MAIL_FROM?: string | undefined;
}

function* mailFaults(env: MailVariables): Generator<readonly [keyof MailVariables, string]> {
  const { SMTP_URL: url, SMTP_PASSWORD_FILE: file, MAIL_FROM: from } = env;
  if (url === undefined) {
    for (const name of ['SMTP_PASSWORD_FILE', 'MAIL_FROM'] as const)
      if (env[name] !== undefined) yield [name, 'is set, and SMTP_URL is not'];
    return;
  }
  const hasUser = Boolean(parsedUrl(url)?.username);
  if (from === undefined) yield ['MAIL_FROM', 'is required with SMTP_URL'];
  if (hasUser && file === undefined) yield ['SMTP_PASSWORD_FILE', 'is required, since SMTP_URL names a user'];
  if (!hasUser && file !== undefined)
    yield ['SMTP_PASSWORD_FILE', 'is set, and SMTP_URL names no user: write user@ before the host'];
}

function faultsOf(url: string): readonly string[] {
  try {
    readEventStoreAddress(url);
  } catch (error) {
    if (error instanceof AddressError) return error.faults;
    throw error;
  }
  return [];
}

/**
 * Checks the environment, and reads password files. Empty variables count as unset.
 * @throws {ConfigError} with every fault at once.
 */
export function readConfig(env: NodeJS.ProcessEnv = terminal().env): Config {
  const nonEmpty = Object.fromEntries(Object.entries(env).filter(([, value]) => value !== ''));
  const { env: complete, faults: fileFaults } = withPasswordsFromFiles(nonEmpty);
  const smtpPassword = nonEmpty['SMTP_PASSWORD_FILE'] && readPassword(nonEmpty['SMTP_PASSWORD_FILE']);
  const faults = [
    ...fileFaults,
    ...(smtpPassword && 'fault' in smtpPassword ? [`SMTP_PASSWORD_FILE: ${smtpPassword.fault}`] : []),
  ];
  const result = environment.safeParse(complete);
  const issues = result.error?.issues.map((issue) => `${issue.path.join('.')}: ${issue.message}`) ?? [];
  if (!result.success || faults.length > 0) throw new ConfigError([...issues, ...faults]);
  const read = result.data;
  const { origin: baseUrl, hostname } = new URL(read.BASE_URL ?? `http://localhost:${read.PORT}`);
  return {
    role: read.ROLE,
    host: read.HOST ?? listenHostOf(hostname),
    port: read.PORT,
    baseUrl,
    operatorHost: read.OPERATOR_HOST,
    operatorPort: read.OPERATOR_PORT,
    operatorBaseUrl: new URL(read.OPERATOR_BASE_URL ?? `http://localhost:${read.OPERATOR_PORT}`).origin,
    referenceAppPort: read.REFERENCE_APP_PORT,
    metricsPort: read.METRICS_PORT,
    metricsHosts: read.METRICS_HOSTS ?? [],
    dataDir: resolve(read.DATA_DIR),
    eventStoreUrl: read.EVENTSTORE_URL,
    eventStoreShared: read.EVENTSTORE_SHARED,
    eventStoreTls: read.EVENTSTORE_TLS,
    databaseUrl: read.DATABASE_URL,
    vaultDatabaseUrl: read.VAULT_DATABASE_URL,
    witnessDatabaseUrl: read.WITNESS_DATABASE_URL,
    registration: read.REGISTRATION ?? (read.EVENTSTORE_URL === undefined ? 'open' : 'closed'),
    reservedHandles: read.RESERVED_HANDLES ?? [],
    trustedProxies: read.TRUSTED_PROXIES ?? [],
    analyticsExportAlone: read.ANALYTICS_EXPORT_ALONE,
    rateLimits: read.RATE_LIMITS,
    fanOutThreshold: read.FAN_OUT_THRESHOLD,
    caseTargetHours: read.CASE_TARGET_HOURS,
    erasureRewriteHour: read.ERASURE_REWRITE_HOUR,
    fourEyesMinAge: read.FOUR_EYES_MIN_AGE,
    caseReasons: read.CASE_REASONS,
    sourceUrl: read.SOURCE_URL,
    operatorContact: read.OPERATOR_CONTACT,
    publicNumbers: read.PUBLIC_NUMBERS,
    smtpUrl: read.SMTP_URL,
    smtpPassword: smtpPassword && 'value' in smtpPassword ? smtpPassword.value : undefined,
    mailFrom: read.MAIL_FROM,
    operatorToken: read.OPERATOR_TOKEN,
    otlpEndpoint: read.OTEL_EXPORTER_OTLP_ENDPOINT,
    logLevel: read.LOG_LEVEL,
  };
}
