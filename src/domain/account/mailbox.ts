/** `key`: the same for all spellings of the address. */
export interface Mailbox {
  readonly address: string;
  readonly key: string;
}

const ATOM = "[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+";
const localPart = new RegExp(String.raw`^(?=.{1,64}$)${ATOM}(?:\.${ATOM})*$`);
/** A name that the URL parser takes for nothing but a host. */
const typedDomain = /^[\p{L}\p{M}\p{N}.-]{1,253}$/u;
/** The last label has a letter: it is no IP address. */
const asciiDomain =
  /^(?=.{1,253}$)(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+(?=[a-z0-9-]{2,63}$)[a-z0-9-]*[a-z][a-z0-9-]*$/;
const ADDRESS_MAX = 254;

/**
 * Reads an address as RFC 5321 has it (section 4.1.2), without quoted strings and address literals; with the domain in
 * punycode. No other part of a mail is parsed from what a person typed. Returns undefined for any other text: no mail is
 * sent to it. Keys are in lower case, since no provider of today tells `Ada@` from `ada@`.
 */
export function mailboxOf(typed: string): Mailbox | undefined {
  const at = typed.lastIndexOf('@');
  const [local, domain] = [typed.slice(0, Math.max(at, 0)), typed.slice(at + 1)];
  if (!localPart.test(local) || !typedDomain.test(domain)) return undefined;
  const host = URL.parse(`http://${domain}/`)?.hostname ?? '';
  const address = `${local}@${host}`;
  return asciiDomain.test(host) && address.length <= ADDRESS_MAX
    ? { address, key: address.toLowerCase() }
    : undefined;
}
