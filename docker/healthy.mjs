/** The image's health check: fails unless this container's process is ready. `docker inspect` shows the printed answer. */
const { ROLE, PORT = '3000', METRICS_PORT } = process.env;
const port = ROLE === 'projector' ? METRICS_PORT : PORT;
if (port === undefined) fail('The worker has no port for health checks: set METRICS_PORT.');

try {
  const answer = await fetch(`http://127.0.0.1:${port}/readyz`, { signal: AbortSignal.timeout(4_000) });
  const text = await answer.text();
  if (!answer.ok) fail(text);
  console.log(text);
} catch (error) {
  fail(`Port ${port} does not answer: ${error.cause?.code ?? error.name}`);
}

function fail(why) {
  console.log(why);
  process.exit(1);
}
