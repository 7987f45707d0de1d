import { readFileSync } from 'node:fs';

type Result = { readonly value: string } | { readonly fault: string };

type Insert = (address: string, password: string, url: string) => Result;

const passwordFiles: readonly { readonly file: string; readonly url: string; readonly insert: Insert }[] = [
  { file: 'EVENTSTORE_PASSWORD_FILE', url: 'EVENTSTORE_URL', insert: intoEventStoreUrl },
  { file: 'DATABASE_PASSWORD_FILE', url: 'DATABASE_URL', insert: intoPostgresUrl },
  { file: 'VAULT_DATABASE_PASSWORD_FILE', url: 'VAULT_DATABASE_URL', insert: intoPostgresUrl },
  { file: 'WITNESS_DATABASE_PASSWORD_FILE', url: 'WITNESS_DATABASE_URL', insert: intoPostgresUrl },
];

export const PASSWORD_FILE_VARIABLES: readonly string[] = passwordFiles.map(({ file }) => file);

const UNREAD = 'unread';

/**
 * @returns The environment with the passwords of the password files in its addresses, and one fault for each unusable
 * file. Reads the files at each call.
 */
export function withPasswordsFromFiles(env: NodeJS.ProcessEnv): {
  readonly env: NodeJS.ProcessEnv;
  readonly faults: readonly string[];
} {
  const complete = { ...env };
  const faults: string[] = [];
  for (const { file, url, insert } of passwordFiles) {
    const path = env[file];
    const address = env[url];
    if (path === undefined) continue;
    if (address === undefined) {
      faults.push(`${file}: is set, and ${url} is not`);
      continue;
    }
    const password = readPassword(path);
    const inserted = insert(address, 'value' in password ? password.value : UNREAD, url);
    for (const each of [password, inserted]) if ('fault' in each) faults.push(`${file}: ${each.fault}`);
    if ('value' in inserted) complete[url] = inserted.value;
  }
  return { env: complete, faults };
}

/** The one line of a file. */
export function readPassword(path: string): Result {
  let text: string;
  try {
    text = new TextDecoder('utf-8', { fatal: true }).decode(readFileSync(path));
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT') return { fault: 'names a file that does not exist' };
    if (code === 'ERR_ENCODING_INVALID_ENCODED_DATA') return { fault: 'names a file that is not UTF-8 text' };
    return { fault: `names a file that cannot be read (${code})` };
  }
  const value = text.replace(/\r?\n$/, '');
  if (value === '') return { fault: 'names a file that is empty' };
  if (/[\r\n]/.test(value))
    return { fault: 'names a file with several lines; it must hold the password alone' };
  return { value };
}

function intoPostgresUrl(address: string, password: string, variable: string): Result {
  if (!URL.canParse(address)) return { value: address };
  const url = new URL(address);
  if (url.username === '') return noUser(variable);
  if (url.password !== '' || url.searchParams.has('password')) return twoPasswords(variable);
  // The setter does not encode a %.
  url.password = encodeURIComponent(password);
  return { value: url.href };
}

function intoEventStoreUrl(address: string, password: string, variable: string): Result {
  const [, before = '', authority, after = ''] = /^(\s*[a-z+]+:\/\/)([^?]*)(.*)$/s.exec(address) ?? [];
  if (authority === undefined) return { value: address };
  const at = authority.lastIndexOf('@');
  const [user = '', ...existingPassword] = authority.slice(0, Math.max(at, 0)).split(':');
  if (user === '') return noUser(variable);
  if (existingPassword.some((part) => part !== '')) return twoPasswords(variable);
  return { value: `${before}${user}:${encodeURIComponent(password)}${authority.slice(at)}${after}` };
}

const noUser = (url: string): Result => ({ fault: `${url} names no user: write user@ before the host` });
const twoPasswords = (url: string): Result => ({
  fault: `${url} has a password as well: leave one of the two out`,
});
