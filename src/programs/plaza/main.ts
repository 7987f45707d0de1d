import { run } from './run.js';

// The reader of a pipe closes it early, as `head` does: the command ends as it would.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code === 'EPIPE') return;
  console.error(
    `the answer cannot be written (${error.message}): the command may be done, look before you repeat it`,
  );
  process.exit(1);
});

const code = await run(process.argv.slice(2));
// A command that succeeds may have set another.
if (code !== 0) process.exitCode = code;
