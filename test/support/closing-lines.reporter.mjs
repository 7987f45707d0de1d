/** Says by name which tests were skipped, then the one line that scripts read: `N passed, N failed`. */
export default class ClosingLines {
  onRunComplete(_contexts, results) {
    const skipped = results.testResults.flatMap((file) =>
      file.testResults.filter((test) => test.status === 'pending').map((test) => test.fullName),
    );
    for (const name of skipped) process.stdout.write(`not run here: ${name}\n`);
    const failed = results.numFailedTests + results.numRuntimeErrorTestSuites;
    process.stdout.write(`${results.numPassedTests} passed, ${failed} failed\n`);
  }
}
