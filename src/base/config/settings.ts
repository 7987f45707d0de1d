import type { Config } from './config.js';
import { PASSWORD_FILE_VARIABLES } from './password-files.js';

export function settingsOf(config: Config): Record<string, string> {
  const settings = {
    ROLE: config.role,
    HOST: config.host,
    PORT: String(config.port),
    BASE_URL: config.baseUrl,
    OPERATOR_HOST: config.operatorHost,
    OPERATOR_PORT: String(config.operatorPort),
    OPERATOR_BASE_URL: config.operatorBaseUrl,
    REFERENCE_APP_PORT: String(config.referenceAppPort),
    METRICS_PORT: config.metricsPort?.toString(),
    METRICS_HOSTS: config.metricsHosts.join(','),
    OPERATOR_TOKEN: config.operatorToken,
    DATA_DIR: config.dataDir,
    EVENTSTORE_URL: config.eventStoreUrl,
    EVENTSTORE_SHARED: config.eventStoreShared,
    EVENTSTORE_TLS: config.eventStoreTls,
    DATABASE_URL: config.databaseUrl,
    VAULT_DATABASE_URL: config.vaultDatabaseUrl,
    WITNESS_DATABASE_URL: config.witnessDatabaseUrl,
    REGISTRATION: config.registration,
    RESERVED_HANDLES: config.reservedHandles.join(','),
    TRUSTED_PROXIES: config.trustedProxies.join(','),
    RATE_LIMITS: config.rateLimits,
    FAN_OUT_THRESHOLD: String(config.fanOutThreshold),
    CASE_TARGET_HOURS: Object.entries(config.caseTargetHours)
      .map(([severity, hours]) => `${severity}=${hours}`)
      .join(','),
    ERASURE_REWRITE_HOUR: String(config.erasureRewriteHour),
    FOUR_EYES_MIN_AGE: config.fourEyesMinAge,
    CASE_REASONS: config.caseReasons?.join(';'),
    SOURCE_URL: config.sourceUrl,
    OPERATOR_CONTACT: config.operatorContact,
    PUBLIC_NUMBERS: config.publicNumbers,
    // Each process reads SMTP_PASSWORD_FILE, which it inherits.
    SMTP_URL: config.smtpUrl,
    MAIL_FROM: config.mailFrom,
    OTEL_EXPORTER_OTLP_ENDPOINT: config.otlpEndpoint,
    LOG_LEVEL: config.logLevel,
  };
  return Object.fromEntries(
    Object.entries(settings).filter((entry): entry is [string, string] => entry[1] !== undefined),
  );
}

/**
 * @returns The environment for a child process. Its addresses contain their passwords, so the variables of password
 * files are left out.
 */
export function environmentFor(config: Config): NodeJS.ProcessEnv {
  const inherited = Object.entries(process.env).filter(([name]) => !PASSWORD_FILE_VARIABLES.includes(name));
  return { ...Object.fromEntries(inherited), ...settingsOf(config) };
}

export function withSettings(config: Config, changes: Partial<Config>): Config {
  return Object.assign({}, config, changes);
}
