import { readFileSync } from 'node:fs';

/** Something that was found, or why it could not be, in words that quote nothing. */
type Found = { readonly value: string } | { readonly fault: string };

/** Puts the password of its user into an address. */
type Insert = (address: string, password: string, url: string) => Found;

const passwordFiles: readonly { readonly file: string; readonly url: string; readonly insert: Insert }[] = [
  { file: 'EVENTSTORE_PASSWORD_FILE', url: 'EVENTSTORE_URL', insert: intoEventStoreUrl },
  { file: 'DATABASE_PASSWORD_FILE', url: 'DATABASE_URL', insert: intoPostgresUrl },
  { file: 'VAULT_DATABASE_PASSWORD_FILE', url: 'VAULT_DATABASE_URL', insert: intoPostgresUrl },
  { file: 'WITNESS_DATABASE_PASSWORD_FILE', url: 'WITNESS_DATABASE_URL', insert: intoPostgresUrl },
];

/** Variables that name a file with a password, as containers get their secrets. */
export const PASSWORD_FILES: readonly string[] = passwordFiles.map(({ file }) => file);

/** Stands for a password that could not be read, so that nothing else of the address is taken for wrong. */
const UNREAD = 'unread';

/**
 * The environment with the passwords in its addresses, and a fault for each that could not be put there, by the name of its
 * variable. Reads the files, at each call.
 */
export function withPasswords(env: NodeJS.ProcessEnv): {
  readonly env: NodeJS.ProcessEnv;
  readonly faults: readonly string[];
} {
  const whole = { ...env };
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
    if ('value' in inserted) whole[url] = inserted.value;
  }
  return { env: whole, faults };
}

function readPassword(path: string): Found {
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

function intoPostgresUrl(address: string, password: string, variable: string): Found {
  // What is wrong with an address is told by whoever checks addresses.
  if (!URL.canParse(address)) return { value: address };
  const url = new URL(address);
  if (url.username === '') return noUser(variable);
  if (url.password !== '' || url.searchParams.has('password')) return twoPasswords(variable);
  // The setter leaves a % as it is.
  url.password = encodeURIComponent(password);
  return { value: url.href };
}

function intoEventStoreUrl(address: string, password: string, variable: string): Found {
  const [, before = '', authority, after = ''] = /^(\s*[a-z+]+:\/\/)([^?]*)(.*)$/s.exec(address) ?? [];
  if (authority === undefined) return { value: address };
  const at = authority.lastIndexOf('@');
  const [user = '', ...written] = authority.slice(0, Math.max(at, 0)).split(':');
  if (user === '') return noUser(variable);
  if (written.some((part) => part !== '')) return twoPasswords(variable);
  return { value: `${before}${user}:${encodeURIComponent(password)}${authority.slice(at)}${after}` };
}

const noUser = (url: string): Found => ({ fault: `${url} names no user: write user@ before the host` });
const twoPasswords = (url: string): Found => ({
  fault: `${url} has a password as well: leave one of the two out`,
});
