import type { FileHandle } from 'node:fs/promises';

const CHUNK_LENGTH = 4 * 1024 * 1024;

export class FileWindow {
  bytes = Buffer.allocUnsafe(CHUNK_LENGTH);
  at = 0;
  end = 0;

  constructor(
    private readonly handle: FileHandle,
    private readonly size: number,
    public offset: number,
  ) {}

  get remaining(): number {
    return this.size - this.offset;
  }

  skip(length: number): void {
    this.at += length;
    this.offset += length;
  }

  /** Reads on until the buffer has `length` bytes from `at` on. Returns false if the file ends before. */
  async need(length: number): Promise<boolean> {
    if (this.end - this.at >= length) return true;
    const to = length > this.bytes.length ? Buffer.allocUnsafe(length) : this.bytes;
    this.bytes.copy(to, 0, this.at, this.end);
    this.end -= this.at;
    this.at = 0;
    this.bytes = to;
    while (this.end < this.bytes.length) {
      const { bytesRead } = await this.handle.read(
        this.bytes,
        this.end,
        this.bytes.length - this.end,
        this.offset + this.end,
      );
      if (bytesRead === 0) break;
      this.end += bytesRead;
    }
    return this.end >= length;
  }
}
