/** Says by name which tests were skipped, then, as the very last line, `N passed, N failed` for scripts to read. */
export default class ClosingLines {
  onRunComplete(_contexts, results) {
    const skipped = results.testResults.flatMap((file) =>
      file.testResults.filter((test) => test.status === 'pending').map((test) => test.fullName),
    );
    const failed = results.numFailedTests + results.numRuntimeErrorTestSuites;
    process.once('exit', () => {
      for (const name of skipped) process.stdout.write(`not run here: ${name}\n`);
      process.stdout.write(`${results.numPassedTests} passed, ${failed} failed\n`);
    });
  }
}
