import { setTimeout as pause } from 'node:timers/promises';
import { signIn } from '../../src/programs/demo/sign-in.js';
import { allScopes } from '../../src/domain/grant/scopes.js';
import type { OpenApi } from '../../src/doors/api/openapi/openapi.js';
import { Conformance } from '../../test/support/conformance.js';
import { redirectUri } from '../../test/support/api.js';
import type { Application } from '../../test/support/api.js';

/** Limit of the time until a definite answer; a slower network counts as down. */
const PATIENCE_MS = 180_000;
const LONGEST_ANSWER_MS = 10_000;
const FIRST_PAUSE_MS = 250;
const LONGEST_PAUSE_MS = 4_000;

const scope = allScopes.filter((name) => name !== 'offline_access').join(' ');

export interface Answer {
  readonly status: number;
  readonly header: (name: string) => string | undefined;
  // oxlint-disable-next-line typescript/no-explicit-any -- read by whoever knows what was asked for
  readonly body: any;
}

export interface Asked {
  readonly method: string;
  readonly path: string;
  readonly body?: object;
  readonly anonymous?: boolean;
}

export class NoAnswer extends Error {
  override readonly name = 'NoAnswer';
}

export interface Served {
  readonly baseUrl: string;
  readonly application: Application;
  readonly conformance: Conformance;
  readonly givenUp: AbortSignal;
  /** Called for each answer that an application must never receive. */
  readonly onFault: (what: string, evidence: Readonly<Record<string, unknown>>) => void;
}

/** The published document, which every answer must match. */
export async function conformanceOf(baseUrl: string): Promise<Conformance> {
  const response = await fetch(`${baseUrl}/api/openapi.json`);
  return new Conformance((await response.json()) as OpenApi);
}

export interface Credentials {
  readonly handle: string;
  readonly password: string;
}

/**
 * A client that follows docs/applications.md, "When something is refused". It repeats requests without an answer, 429
 * and 503 identically after `Retry-After`, and a 401 after a new sign-in. Any other answer is definite.
 */
export class Session {
  private token: string | undefined;
  private signingIn: Promise<string> | undefined;

  constructor(
    private readonly served: Served,
    private readonly credentials: Credentials,
  ) {}

  /**
   * Returns the first definite answer. Calls `onTry` before each request.
   * @throws {NoAnswer}
   */
  async ask(asked: Asked, onTry: () => void = () => undefined): Promise<Answer> {
    const giveUpAt = performance.now() + PATIENCE_MS;
    for (let tries = 0; ; tries++) {
      this.served.givenUp.throwIfAborted();
      const token = asked.anonymous ? undefined : await this.currentToken(giveUpAt);
      onTry();
      const answer = await this.send(asked, token);
      if (answer?.status === 401 && token !== undefined) {
        if (this.token === token) this.token = undefined;
      } else if (answer && !isToRepeat(answer)) return answer;
      if (performance.now() > giveUpAt)
        throw new NoAnswer(`${asked.method} ${asked.path}: ${answer?.status} ${answer?.body?.error}`);
      if (answer?.status !== 401) await this.wait(answer, tries);
    }
  }

  private async wait(answer: Answer | undefined, tries: number): Promise<void> {
    const seconds = Number(answer?.header('retry-after'));
    const backoff = Math.min(FIRST_PAUSE_MS * 2 ** tries, LONGEST_PAUSE_MS);
    await pause(seconds > 0 ? seconds * 1_000 : backoff, undefined, { signal: this.served.givenUp });
  }

  private async send(asked: Asked, token: string | undefined): Promise<Answer | undefined> {
    const { method, path, body } = asked;
    let response: Response;
    let text: string;
    try {
      response = await fetch(this.served.baseUrl + path, {
        method,
        headers: {
          ...(body && { 'content-type': 'application/json' }),
          ...(token !== undefined && { authorization: `Bearer ${token}` }),
        },
        ...(body && { body: JSON.stringify(body) }),
        signal: AbortSignal.any([AbortSignal.timeout(LONGEST_ANSWER_MS), this.served.givenUp]),
      });
      text = await response.text();
    } catch {
      this.served.givenUp.throwIfAborted();
      return undefined;
    }
    return this.checked(asked, response, text);
  }

  private checked({ method, path }: Asked, { status, headers }: Response, text: string): Answer {
    const header = (name: string) => headers.get(name) ?? undefined;
    try {
      if (status === 500) throw new Error(`500: ${text}`);
      if (status === 503 && !(Number(header('retry-after')) > 0)) throw new Error('503 without Retry-After');
      this.served.conformance.check({ method, path, status, header, body: text }, headers.keys());
    } catch (error) {
      this.served.onFault('an answer is not one of the document', {
        request: `${method} ${path}`,
        status,
        body: text.slice(0, 2_000),
        why: error instanceof Error ? error.message : String(error),
      });
    }
    return { status, header, body: text === '' ? undefined : JSON.parse(text) };
  }

  private async currentToken(giveUpAt: number): Promise<string> {
    if (this.token !== undefined) return this.token;
    // One sign-in for all requests that wait for it.
    this.signingIn ??= this.signInAgain(giveUpAt).finally(() => (this.signingIn = undefined));
    return this.signingIn;
  }

  private async signInAgain(giveUpAt: number): Promise<string> {
    const { baseUrl, application } = this.served;
    for (let tries = 0; ; tries++)
      try {
        const signing = signIn(baseUrl, { ...application, ...this.credentials, redirectUri, scope });
        return (this.token = (await signing).access_token);
      } catch (error) {
        // Each try starts a new sign-in, so an outage during one costs one try.
        if (performance.now() > giveUpAt) throw new NoAnswer('sign-in does not succeed', { cause: error });
        await this.wait(undefined, tries);
      }
  }
}

/** docs/applications.md: only the conflict of a changed publication may be repeated. */
export const isToRepeat = ({ status, body }: Answer): boolean =>
  status >= 500 || status === 429 || (status === 409 && body?.error === 'recovery_publication_changed');
