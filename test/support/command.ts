import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';

/** The tested build: this repository's, or another directory with `bin` and `dist`. */
export const root = process.env['PLAZA_BUILD'] ?? fileURLToPath(new URL('../..', import.meta.url));
export const plaza = join(root, 'bin', 'plaza.mjs');

/** A built process (bin/bundle.mjs). */
export const builtProcess = (name: 'api' | 'projector' | 'plaza' | 'event-store'): string =>
  join(root, 'dist', 'bundle', `${name}.js`);

export interface CommandResult {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Variables that a developer or `psql` user may have set in the shell, and what this run leaves out. */
const PLAZA_SETTINGS =
  /^(?:ROLE|PORT|BASE_URL|OPERATOR_\w+|DATA_DIR|\w*DATABASE_(?:URL|PASSWORD_FILE)|EVENTSTORE_\w+|METRICS_PORT|REGISTRATION|LOG_LEVEL|OTEL_\w+|TRUSTED_PROXIES|RATE_LIMITS|PLAZA_TEST_SAMPLE|PLAZA_TEST_WITHOUT|PG[A-Z]\w*)$/;

/** This process' environment without settings of Plaza and Postgres, plus `settings`. */
export function environment(settings: NodeJS.ProcessEnv = {}): NodeJS.ProcessEnv {
  const others = Object.entries(process.env).filter(([name]) => !PLAZA_SETTINGS.test(name));
  return { ...Object.fromEntries(others), ...settings };
}

/** Runs one operator command to its end. */
export async function runPlaza(
  args: readonly string[],
  env: NodeJS.ProcessEnv = {},
  input: string | Uint8Array = '',
  program = plaza,
): Promise<CommandResult> {
  const child = spawn(process.execPath, [program, ...args], {
    env: environment(env),
    stdio: 'pipe',
  });
  child.stdin.end(input);
  const ended = new Promise<number | null>((resolve) => child.once('close', resolve));
  const [code, stdout, stderr] = await Promise.all([ended, text(child.stdout), text(child.stderr)]);
  return { code, stdout, stderr };
}
