import { execFile, execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { describe } from '@jest/globals';

const documents = fileURLToPath(new URL('../../docs', import.meta.url));
export const verifier = `${documents}/verify_log.py`;

/** Without Python these tests are skipped, and the closing lines of the run name them. */
export const describeWithPython = hasPython() ? describe : describe.skip;

function hasPython(): boolean {
  try {
    execFileSync('python3', ['--version'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

export interface PythonAnswer {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs Python to its end: without variables and packages of this machine (`-I`), and it leaves no files (`-B`). */
export function python(...args: readonly string[]): Promise<PythonAnswer> {
  return new Promise((resolve) =>
    execFile('python3', ['-IB', ...args], (error, stdout, stderr) =>
      resolve({ code: error === null ? 0 : Number(error.code ?? -1), stdout, stderr }),
    ),
  );
}
