/** Preloaded into a process: prints a line when the process loads the exporter of traces (src/base/telemetry/otlp-tracer.ts). */
import { registerHooks } from 'node:module';

registerHooks({
  load(url, context, nextLoad) {
    if (url.includes('/otlp-tracer')) process.stderr.write('exporter of traces loaded\n');
    return nextLoad(url, context);
  },
});
