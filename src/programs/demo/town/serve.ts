import { existsSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
import { join, resolve } from 'node:path';
import type { Config } from '../../../base/config/config.js';
import { Failure } from '../../../base/terminal/failure.js';
import { terminal } from '../../../base/terminal/terminal.js';
import { endWithParent } from '../../../launch/child.js';
import { listenError } from '../../../launch/free-port.js';
import { sessionsFileIn } from './town-file.js';
import type { TownApplication } from './town-file.js';

/** The examples are in a clone, from which alone `npm run demo` runs. */
const main = (): string => resolve(join('examples', 'reference-app', 'main.ts'));

/** @throws {Failure} the application could not be served. */
export async function requireServable({ referenceAppPort: port }: Config): Promise<void> {
  if (!existsSync(main()))
    throw new Failure(`${main()} is missing: run this in the root of a clone of Plaza's repository`);
  const fault = await listenError(port, 'localhost');
  if (fault !== undefined)
    throw new Failure(
      `port ${port} (REFERENCE_APP_PORT) cannot be used (${fault}): if npm run demo serves there already, open http://localhost:${port}, ` +
        'or end it with Ctrl-C if its people were removed; else choose another port: REFERENCE_APP_PORT=3003 npm run demo',
    );
}

/** Runs the reference application in this process, until that ends. */
export async function serveApplication(
  { baseUrl, dataDir }: Config,
  { clientId, clientSecret, port }: TownApplication,
): Promise<void> {
  endWithParent();
  Object.assign(terminal().env, {
    BASE_URL: baseUrl,
    CLIENT_ID: clientId,
    CLIENT_SECRET: clientSecret,
    REFERENCE_APP_PORT: String(port),
    SESSIONS: sessionsFileIn(dataDir),
  });
  await import(pathToFileURL(main()).href);
}
