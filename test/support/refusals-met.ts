/** Which error codes the tests of a run are answered with: by the helpers that read answers. */
import { appendFileSync } from 'node:fs';
import { join } from 'node:path';

const noted = new Set<string>();

/** Undefined: outside of a run of tests. */
export function refusalsFile(): string | undefined {
  const directory = process.env['PLAZA_TEST_RUN'];
  return directory === undefined ? undefined : join(directory, 'refusals.ndjson');
}

/** Notes that the test that runs was answered so. `body`: of any answer, also of one that is no refusal. */
export function noteRefusal(status: number, body: unknown): void {
  const code = (body as { error?: unknown } | undefined)?.error;
  const [file, running] = [refusalsFile(), runningTest()];
  if (typeof code !== 'string' || file === undefined || running === undefined) return;
  const line = JSON.stringify({ code, status, ...running });
  if (noted.has(line)) return;
  noted.add(line);
  appendFileSync(file, `${line}\n`);
}

/** The same of a page, which ends with the code that a program would have been told. */
export function noteRefusalOnPage(status: number, text: string): void {
  noteRefusal(status, { error: /<p class="small quiet">([a-z_]+)<\/p>/.exec(text)?.[1] });
}

/** Undefined: between tests, and where no test framework is. */
function runningTest(): { readonly file: string; readonly test: string } | undefined {
  const { expect } = globalThis as {
    expect?: { getState(): { testPath?: string; currentTestName?: string } };
  };
  const { testPath: file, currentTestName: test } = expect?.getState() ?? {};
  return file === undefined || test === undefined ? undefined : { file, test };
}
