import type { FastifyRequest } from 'fastify';
import { html } from '../base/pages/html.js';
import type { Html } from '../base/pages/html.js';
import { clientRequestIdOf } from './client-request-id.js';
import type { HttpRefusal } from './errors.js';
import type { Operations } from './operations.js';
import { refusalPage } from './refusal.page.js';

/** Pages in place of Error objects, for people who open an address by hand. */
export class RefusalPages {
  constructor(
    private readonly operations: Operations,
    private readonly contact: string | undefined,
  ) {}

  /** True if a refusal of the request is a page for a browser. */
  hasPage(request: FastifyRequest): boolean {
    return !this.operations.hasRoute(request);
  }

  pageOf({ status, code, message }: HttpRefusal, { raw }: FastifyRequest): string {
    const forDeveloper = status === 405;
    return refusalPage({
      status,
      code,
      message: forDeveloper ? 'It answers programs, and a browser cannot open it.' : message,
      advice: adviceOf(status),
      detail: forDeveloper ? message : undefined,
      contact: this.contact,
      requestId: clientRequestIdOf(raw),
    });
  }
}

const start = html`<a href="/">the front page of this network</a>`;

function adviceOf(status: number): Html {
  if (status === 404)
    return html`<p>Check the address, or go to ${start}.</p>
      <p>If a link brought you here, the people who made that link can mend it.</p>`;
  if (status === 405)
    return html`<p>Go to ${start}. If an application sent you here, the people who run it can mend that.</p>
      <p>Developers find each address in <a href="/docs">the API reference</a>.</p>`;
  return status >= 500 ? html`<p>Load this page again in a few seconds.</p>` : html`<p>Go to ${start}.</p>`;
}
