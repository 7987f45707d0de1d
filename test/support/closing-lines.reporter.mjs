import { existsSync, readFileSync } from 'node:fs';

const MAX_FAULTS_SHOWN = 30;

/** Prints the names of skipped tests, and as the last line `N passed, N failed` for scripts. */
export default class ClosingLines {
  onRunComplete(_contexts, results) {
    const skipped = results.testResults.flatMap((file) =>
      file.testResults.filter((test) => test.status === 'pending').map((test) => test.fullName),
    );
    const failed = results.numFailedTests + results.numRuntimeErrorTestSuites;
    const faults = failed > 0 ? faultsOfSharedNetwork() : [];
    process.once('exit', () => {
      for (const fault of faults) process.stdout.write(`the shared network: ${fault}\n`);
      for (const name of skipped) process.stdout.write(`not run here: ${name}\n`);
      process.stdout.write(`${results.numPassedTests} passed, ${failed} failed\n`);
    });
  }
}

/** The last warnings and errors of the shared network, whose directory is removed with the run. */
function faultsOfSharedNetwork() {
  const log = `${process.env['PLAZA_TEST_RUN']}/shared-network.log`;
  if (!existsSync(log)) return [];
  const lines = readFileSync(log, 'utf8').split('\n');
  return lines.filter((line) => /"level":[4-9]0/.test(line)).slice(-MAX_FAULTS_SHOWN);
}
