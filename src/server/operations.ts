import type { IncomingMessage } from 'node:http';
import type { FastifyRequest } from 'fastify';

/** The operations of the published document: clients read their errors as Error objects, whatever they accept. */
export class Operations {
  private readonly routes: ReadonlySet<string>;
  private readonly addresses: RegExp;

  /** `path`: as the document has it, `/api/posts/{id}`. */
  constructor(endpoints: readonly { readonly method: string; readonly path: string }[]) {
    const routeOf = (to: (path: string) => string) =>
      endpoints.map(({ method, path }) => `${method.toUpperCase()} ${to(path)}`);
    this.routes = new Set(routeOf((path) => path.replaceAll(/\{(\w+)\}/g, ':$1')));
    const patterns = routeOf((path) => path.replaceAll('.', String.raw`\.`).replaceAll(/\{\w+\}/g, '[^/?]+'));
    this.addresses = new RegExp(String.raw`^(?:${patterns.join('|')})(?:\?|$)`);
  }

  /** True if the request has reached the route of an operation. */
  hasRoute({ method, routeOptions }: FastifyRequest): boolean {
    return this.routes.has(`${readMethod(method)} ${routeOptions.url}`);
  }

  /** The same for a request without a route yet. */
  hasAddress({ method = '', url }: Pick<IncomingMessage, 'method' | 'url'>): boolean {
    return this.addresses.test(`${readMethod(method)} ${url}`);
  }
}

const readMethod = (method: string): string => (method === 'HEAD' ? 'GET' : method);
