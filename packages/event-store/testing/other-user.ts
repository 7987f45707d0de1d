import { spawn } from 'node:child_process';
import { once } from 'node:events';

/** Only root can switch users. */
export const canBeOtherUser = process.getuid?.() === 0;

/** `nobody` on most systems. The user need not exist. */
export const OTHER_UID = 65_534;

const SWITCH_USER = `
process.setgroups([]);
process.setgid(${OTHER_UID});
process.setuid(${OTHER_UID});
`;

/** Runs an ES module as another user, with its arguments in `argv`. Resolves with its output. */
export async function asOtherUser(script: string, ...args: readonly string[]): Promise<string> {
  const source = `${SWITCH_USER}const argv = process.argv.slice(1);\n${script}`;
  const child = spawn(process.execPath, ['--input-type=module', '-e', source, ...args], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let printed = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => (printed += text));
  const [code] = (await once(child, 'close')) as [number | null];
  if (code !== 0) throw new Error(`the process of the other user ended with code ${code}`);
  return printed.trim();
}
