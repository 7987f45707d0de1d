import type { FastifyRequest } from 'fastify';
import { HttpRefusal } from '../../server/errors.js';
import { isSingleHeader } from '../../server/network-origin.js';

/**
 * Refuses a request to another host than the console's, against DNS rebinding, and one from another origin. A POST
 * must name its origin.
 * @throws {HttpRefusal} `origin_mismatch`, `origin_required`
 */
export function requireConsoleOrigin(request: FastifyRequest, consoleOrigin: string): void {
  const { host, origin } = request.headers;
  const isAddressed = host?.toLowerCase() === new URL(consoleOrigin).host && request.url.startsWith('/');
  if (!isAddressed || !isSingleHeader(request, 'host'))
    throw new HttpRefusal(
      'origin_mismatch',
      `The console is at ${consoleOrigin}/console (OPERATOR_BASE_URL).`,
    );
  if (origin === undefined && request.method === 'POST')
    throw new HttpRefusal(
      'origin_required',
      'Your browser did not send the Origin header. Allow it, and try again.',
    );
  if (origin !== undefined && (origin !== consoleOrigin || !isSingleHeader(request, 'origin')))
    throw new HttpRefusal(
      'origin_mismatch',
      'This form came from another site. Open the page of the console.',
    );
}
