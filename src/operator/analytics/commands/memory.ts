import { InvalidArgumentError } from 'commander';
import type { Command } from 'commander';

const UNITS: Readonly<Record<string, number>> = { MB: 1e6, GB: 1e9, MIB: 2 ** 20, GIB: 2 ** 30 };

/** Returns the bytes of `512MB`, `4GB`, `512MiB` or `4GiB`. @throws {InvalidArgumentError} */
export function parseMemory(value: string): number {
  const [, number = '', unit = ''] = /^([1-9]\d{0,5})([MG]i?B)$/i.exec(value) ?? [];
  const bytes = Number(number) * (UNITS[unit.toUpperCase()] ?? 0);
  if (bytes > 0) return bytes;
  throw new InvalidArgumentError('It must be a whole number with MB, GB, MiB or GiB: 512MB, 4GiB.');
}

export interface MemoryOptions {
  readonly memory?: number;
}

export const withMemory = (command: Command): Command =>
  command.option(
    '--memory <size>',
    'memory of DuckDB, as 4GB; a larger query spills to the disk of the data set (default: half of the machine)',
    parseMemory,
  );
