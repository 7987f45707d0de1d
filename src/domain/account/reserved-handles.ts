/** Handles that a reader could take for the network itself or its operators, and names of RFC 2142. */
const reserved = [
  'abuse',
  'admin',
  'administrator',
  'anonymous',
  'help',
  'hostmaster',
  'info',
  'moderator',
  'network',
  'null',
  'official',
  'operator',
  'plaza',
  'postmaster',
  'root',
  'security',
  'staff',
  'support',
  'system',
  'undefined',
  'webmaster',
];

/** Handles that nobody can claim. An earlier claim stays. */
export class ReservedHandles {
  private readonly names: ReadonlySet<string>;

  /** `more`: of the setting `RESERVED_HANDLES`. */
  constructor(more: readonly string[]) {
    this.names = new Set([...reserved, ...more]);
  }

  has(handle: string): boolean {
    return this.names.has(handle);
  }
}
