/** Settings of a network whose processes print that they load the exporter of traces. */
export const PRINT_LOADED_TRACERS = {
  NODE_OPTIONS: `--import=${new URL('print-loaded-tracer.mjs', import.meta.url).href}`,
} as const;

/** How many processes have loaded the exporter, by what they printed. */
export const countLoadedTracers = (output: string): number =>
  output.split('exporter of traces loaded\n').length - 1;
