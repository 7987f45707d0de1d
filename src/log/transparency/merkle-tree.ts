import { createHash } from 'node:crypto';

/** Hashes of a Merkle tree as in a transparency log (RFC 6962, section 2.1): SHA-256, 32 bytes. */

export const leafHash = (entry: Uint8Array): Buffer => hashOf(0x00, entry);

const nodeHash = (left: Uint8Array, right: Uint8Array): Buffer => hashOf(0x01, left, right);

function hashOf(prefix: number, ...parts: readonly Uint8Array[]): Buffer {
  const hash = createHash('sha256').update(Buffer.of(prefix));
  for (const part of parts) hash.update(part);
  return hash.digest();
}

/** Computes the root of leaves that are appended in order. Keeps one hash for each complete subtree: at most 53. */
export class MerkleTree {
  /** Roots of the complete subtrees, the largest first, with their numbers of leaves. */
  private readonly subtrees: { readonly size: number; readonly hash: Buffer }[] = [];
  private leaves = 0;

  get size(): number {
    return this.leaves;
  }

  append(leaf: Buffer): void {
    this.leaves++;
    let subtree = { size: 1, hash: leaf };
    for (let last = this.subtrees.at(-1); last?.size === subtree.size; last = this.subtrees.at(-1)) {
      this.subtrees.pop();
      subtree = { size: last.size * 2, hash: nodeHash(last.hash, subtree.hash) };
    }
    this.subtrees.push(subtree);
  }

  root(): Buffer {
    const hashes = this.subtrees.map(({ hash }) => hash);
    if (hashes.length === 0) return createHash('sha256').digest();
    return hashes.reduceRight((right, left) => nodeHash(left, right));
  }
}
