import { Failure } from '../../base/terminal/failure.js';

type DuckDb = typeof import('@duckdb/node-api');

/** @throws {Failure} the optional dependency is not installed. */
export async function loadDuckDb(): Promise<DuckDb> {
  try {
    return await import('@duckdb/node-api');
  } catch (cause) {
    throw new Failure(
      'this command needs the optional package @duckdb/node-api, which is not installed: run npm ci, which brings it',
      { cause },
    );
  }
}
