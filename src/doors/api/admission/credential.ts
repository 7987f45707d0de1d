import type { IncomingMessage } from 'node:http';
import { Injectable } from '@nestjs/common';
import type { CanActivate, ExecutionContext } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Passport } from 'passport';
import { Strategy } from 'passport-strategy';
import { credentialHash } from '../../../base/store/authority/credential-hash.js';
import { HttpRefusal } from '../../../server/errors.js';
import { isSingleHeader } from '../../../server/network-origin.js';

/**
 * SHA-256 of the access token of a request, which stands for the token from here on; undefined: an anonymous request.
 */
export type Credential = { readonly tokenHash: Buffer } | undefined;

/** `Authorization: Bearer` (RFC 6750, section 2.1), the only place of a token: none is read from a query or a body. */
const bearerHeader = /^Bearer +([A-Za-z0-9\-._~+/]+=*)$/i;

class BearerStrategy extends Strategy {
  override authenticate(request: Pick<IncomingMessage, 'headers'>): void {
    const { authorization } = request.headers;
    if (authorization === undefined) return this.pass();
    const token = bearerHeader.exec(authorization)?.[1];
    if (token === undefined) return this.fail(401);
    this.success({ tokenHash: credentialHash(token) });
  }
}

const passport = new Passport().use('bearer', new BearerStrategy());

type RequestWithCredential = FastifyRequest & { credential?: Credential };

/**
 * Reads the access token of every request, and refuses a malformed or repeated `Authorization` header. The token itself
 * is checked later, in the statement of the read or mutation.
 */
@Injectable()
export class CredentialGuard implements CanActivate {
  canActivate(context: ExecutionContext): Promise<boolean> {
    const http = context.switchToHttp();
    const request = http.getRequest<RequestWithCredential>();
    const { promise, resolve, reject } = Promise.withResolvers<boolean>();
    const onAuthenticated = (error: unknown, credential?: Credential | false) => {
      if (error) return reject(error);
      // RFC 6750, section 3.1: a repeated header is a fault of the request, not of the token.
      if (!isSingleHeader(request, 'authorization'))
        return reject(new HttpRefusal('invalid_request', 'Send one header Authorization.'));
      if (credential === false)
        return reject(
          new HttpRefusal('invalid_token', 'Send one header: Authorization: Bearer <access token>.'),
        );
      request.credential = credential;
      resolve(true);
    };
    passport.authenticate('bearer', { session: false }, onAuthenticated)(
      request.raw,
      http.getResponse<FastifyReply>().raw,
      onAuthenticated,
    );
    return promise;
  }
}

export const credentialOf = (request: FastifyRequest): Credential =>
  (request as RequestWithCredential).credential;
