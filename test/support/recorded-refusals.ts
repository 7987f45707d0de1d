/** Records the error codes that the tests of a run are answered with, for the conformance check. */
import { appendFileSync } from 'node:fs';
import { join } from 'node:path';

const recorded = new Set<string>();

/** Undefined: outside of a test run. */
export function refusalsFile(): string | undefined {
  const directory = process.env['PLAZA_TEST_RUN'];
  return directory === undefined ? undefined : join(directory, 'refusals.ndjson');
}

/** Records the answer for the running test. `body`: of any answer; only an error has a code. */
export function recordRefusal(status: number, body: unknown): void {
  const code = (body as { error?: unknown } | undefined)?.error;
  const [file, running] = [refusalsFile(), runningTest()];
  if (typeof code !== 'string' || file === undefined || running === undefined) return;
  const line = JSON.stringify({ code, status, ...running });
  if (recorded.has(line)) return;
  recorded.add(line);
  appendFileSync(file, `${line}\n`);
}

/** Like {@link recordRefusal} for an HTML page, which shows the error code at its end. */
export function recordRefusalOnPage(status: number, text: string): void {
  recordRefusal(status, { error: /<p class="small quiet">([a-z_]+)<\/p>/.exec(text)?.[1] });
}

/** Undefined: between tests, and outside of Jest. */
function runningTest(): { readonly file: string; readonly test: string } | undefined {
  const { expect } = globalThis as {
    expect?: { getState(): { testPath?: string; currentTestName?: string } };
  };
  const { testPath: file, currentTestName: test } = expect?.getState() ?? {};
  return file === undefined || test === undefined ? undefined : { file, test };
}
