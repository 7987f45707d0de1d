/**
 * `npm run build`: compiles and bundles, unless the present build is already of these sources. So a start of what was
 * built before does not wait for it.
 */
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const OLDEST = 24;

// npm runs its scripts on the Node that it has installed here, if that is newer than its own.
const [, npmsNode = ''] = /\bnode\/(v\d+\S*)/.exec(process.env['npm_config_user_agent'] ?? '') ?? [];
if (Number.parseInt(npmsNode.slice(1), 10) < OLDEST)
  console.log(
    `Node ${npmsNode} is too old for Plaza, so \`npm start\` and \`npx plaza\` run on Node ${process.version} from node_modules; with --omit=dev, Plaza needs Node ${OLDEST} or newer itself.`,
  );

const root = fileURLToPath(new URL('..', import.meta.url));
const inputs = [
  'package-lock.json',
  'nest-cli.json',
  'tsconfig.json',
  '.swcrc',
  'bin',
  'src',
  'projections',
  'bench',
  'docs/applications.md',
  ...['package.json', 'src', 'testing', 'bench'].map((path) => `packages/event-store/${path}`),
];
const builtFrom = join(root, 'dist', 'bundle', 'built-from');

const digest = digestOf(inputs.flatMap(filesIn));
if (!existsSync(builtFrom) || readFileSync(builtFrom, 'utf8') !== digest) {
  rmSync(builtFrom, { force: true });
  run(fileURLToPath(import.meta.resolve('@nestjs/cli/bin/nest.js')), 'build');
  run('bin/bundle.mjs');
  run('dist/src/programs/write-guide.js', 'docs/applications.md', 'dist/guide.json');
  writeFileSync(builtFrom, digest);
}

/** An image is built without the benchmarks. */
function filesIn(path) {
  const stat = statSync(join(root, path), { throwIfNoEntry: false });
  if (stat === undefined) return [];
  if (!stat.isDirectory()) return path.endsWith('.spec.ts') ? [] : [path];
  return readdirSync(join(root, path))
    .toSorted()
    .flatMap((name) => filesIn(join(path, name)));
}

function digestOf(files) {
  const hash = createHash('sha256');
  for (const file of files) {
    const content = readFileSync(join(root, file));
    hash.update(`${file} ${content.length}\n`).update(content);
  }
  return hash.digest('hex');
}

function run(...args) {
  const { status, error } = spawnSync(process.execPath, args, { cwd: root, stdio: 'inherit' });
  if (error) throw error;
  if (status !== 0) process.exit(status ?? 1);
}
