import { appendFileSync, existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { removeDataDir } from '../test/support/data-dir.js';
import type { TrialResult } from './trial.js';

/** Kept after a broken promise: findings, operations, the log, the network's output and its data. */
export class Artifacts {
  private readonly dir: string;
  isKept = false;

  constructor(
    name: string,
    private readonly dataDir: string,
  ) {
    this.dir = resolve('artifacts', name);
    rmSync(this.dir, { recursive: true, force: true });
    mkdirSync(this.dir, { recursive: true });
  }

  file(name: string): string {
    return join(this.dir, name);
  }

  output(text: string): void {
    appendFileSync(this.file('network.log'), text);
  }

  keep({ findings, operations, log }: TrialResult): string {
    this.isKept = true;
    for (const [name, content] of Object.entries({ findings, operations, log }))
      writeFileSync(this.file(`${name}.json`), `${JSON.stringify(content, undefined, 1)}\n`);
    return `${this.dir} and ${this.dataDir}`;
  }

  /** Removes everything unless it is kept. The network must have stopped. */
  clear(): void {
    if (this.isKept) return;
    rmSync(this.dir, { recursive: true, force: true });
    if (existsSync(this.dataDir)) removeDataDir(this.dataDir);
  }
}
