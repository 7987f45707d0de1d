import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { PassThrough, Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';

/** The tested build: this repository's, or another directory with `bin` and `dist`. */
export const root = process.env['PLAZA_BUILD'] ?? fileURLToPath(new URL('../..', import.meta.url));
const isOtherBuild = process.env['PLAZA_BUILD'] !== undefined;
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
  /^(?:ROLE|PORT|BASE_URL|OPERATOR_\w+|DATA_DIR|\w*DATABASE_(?:URL|PASSWORD_FILE)|EVENTSTORE_\w+|METRICS_PORT|REFERENCE_APP_PORT|REGISTRATION|LOG_LEVEL|OTEL_\w+|TRUSTED_PROXIES|RATE_LIMITS|PLAZA_TEST_SAMPLE|PLAZA_TEST_WITHOUT|PG[A-Z]\w*)$/;

/** This process' environment without settings of Plaza and Postgres, plus `settings`. */
export function environment(settings: NodeJS.ProcessEnv = {}): NodeJS.ProcessEnv {
  const others = Object.entries(process.env).filter(([name]) => !PLAZA_SETTINGS.test(name));
  return { ...Object.fromEntries(others), ...settings };
}

/** Commands that only ask the operators' API or read a data set: all that others start, and how they end, is of a process of their own. */
const RUNS_HERE =
  /^(?:(?:account|app|approval|as-of|audit|batch|case|disclose|export|four-eyes|grant|keys|operator|post|projections|publishing|recovery|registration)\b|analytics (?:files|prune|query|report|resolve|schema|status|verify)\b)/;

/**
 * Runs one operator command to its end, in this process if it can (see above): to start one takes longer than most commands do.
 * {@link spawnPlaza} shows the process itself.
 */
export async function runPlaza(
  args: readonly string[],
  env: NodeJS.ProcessEnv = {},
  input: string | Uint8Array = '',
): Promise<CommandResult> {
  const isHere =
    RUNS_HERE.test(args.slice(0, 2).join(' ')) && env['NODE_OPTIONS'] === undefined && !isOtherBuild;
  return isHere ? runHere(args, env, input) : spawnPlaza(args, env, input);
}

/** Runs a built command, or another program. */
export async function spawnPlaza(
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

async function runHere(
  args: readonly string[],
  env: NodeJS.ProcessEnv,
  input: string | Uint8Array,
): Promise<CommandResult> {
  // Most spec files run no command.
  const [{ run }, { withTerminal }] = await Promise.all([
    import('../../src/programs/plaza/run.js'),
    import('../../src/base/terminal/terminal.js'),
  ]);
  const [stdout, stderr] = [new PassThrough(), new PassThrough()];
  const output = Promise.all([text(stdout), text(stderr)]);
  const terminal = { env: environment(env), stdin: Readable.from([Buffer.from(input)]), stdout, stderr };
  const code = await withTerminal(terminal, () => run(args));
  stdout.end();
  stderr.end();
  const [out, err] = await output;
  return { code, stdout: out, stderr: err };
}
