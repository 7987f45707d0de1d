/**
 * What the client's own defaults get wrong for a process that has to outlive its event store: it gives up after ten rounds
 * of looking for a node, with a rejection that nobody handles, and waits five seconds for a node that is frozen.
 * `gossipTimeout` is in whole seconds.
 */
const DEFAULTS = { maxDiscoverAttempts: 1_000_000_000, discoveryInterval: 200, gossipTimeout: 1 };

/** The connection string with those options that it does not have itself. */
export function withDefaults(connectionString: string): string {
  const given = connectionString.trim();
  const query = given.lastIndexOf('?');
  const names = query < 0 ? [] : given.slice(query + 1).split('&');
  const has = new Set(names.map((each) => flat(each.split('=')[0] ?? '')));
  const missing = Object.entries(DEFAULTS).filter(([name]) => !has.has(flat(name)));
  const added = missing.map(([name, value]) => `${name}=${value}`).join('&');
  return added === '' ? given : `${given}${query < 0 ? '?' : '&'}${added}`;
}

/** As the client compares names of options. */
const flat = (name: string): string => name.trim().toLowerCase().replaceAll(/[_-]/g, '');
