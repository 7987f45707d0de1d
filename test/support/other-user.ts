import { spawn } from 'node:child_process';
import { once } from 'node:events';

/** Only root can run something as another user. */
export const canBeOtherUser = process.getuid?.() === 0;

/** `nobody`, on most systems; no user needs to be there for it. */
export const OTHER_UID = 65_534;

const SWITCH_USER = `
process.setgroups([]);
process.setgid(${OTHER_UID});
process.setuid(${OTHER_UID});
`;

/** Runs a script for Node, an ES module, as another user; resolves with what it printed. Its arguments are in `argv`. */
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
