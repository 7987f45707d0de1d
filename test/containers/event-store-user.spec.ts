import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { spawn } from 'node:child_process';
import type { ChildProcessWithoutNullStreams } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:https';
import type { Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { canMakeCertificate, makeCertificate } from '../support/certificate.js';
import { until } from '../support/until.js';

const script = fileURLToPath(new URL('../../docker/event-store-user.mjs', import.meta.url));
const PASSWORD = 'a/b+c=';
const ADMIN = `Basic ${Buffer.from('admin:d/e+f=').toString('base64')}`;

interface Answer {
  readonly status: number;
  readonly location?: string;
}

/** A node answers with the statuses of EventStoreDB 23.10.8. The rights, which need its whole protocol, are not reached. */
(canMakeCertificate ? describe : describe.skip)(
  'the creation of the event store user (needs openssl)',
  () => {
    let dir = '';
    let certificate: ReturnType<typeof makeCertificate>;
    const nodes: Server[] = [];
    let child: ChildProcessWithoutNullStreams | undefined;

    beforeEach(() => {
      dir = mkdtempSync(join(tmpdir(), 'plaza-user-'));
      certificate = makeCertificate(dir);
      writeFileSync(join(dir, 'eventstore'), `${PASSWORD}\n`);
      writeFileSync(join(dir, 'eventstore-admin'), 'd/e+f=\n');
    });
    afterEach(async () => {
      if (child?.exitCode === null) {
        child.kill('SIGKILL');
        await once(child, 'close');
      }
      for (const node of nodes.splice(0)) {
        node.closeAllConnections();
        await new Promise((resolve) => void node.close(resolve));
      }
      rmSync(dir, { recursive: true });
    });

    async function startNode(answer: (path: string) => Answer) {
      const requests: { path: string; authorization: string | undefined; body: unknown }[] = [];
      const tls = { key: readFileSync(certificate.key), cert: readFileSync(certificate.cert) };
      const server = createServer(tls, (request, response) => {
        void (async () => {
          const { url = '', headers } = request;
          const chunks: Buffer[] = [];
          for await (const chunk of request) chunks.push(chunk as Buffer);
          const body: unknown = JSON.parse(Buffer.concat(chunks).toString());
          requests.push({ path: url, authorization: headers.authorization, body });
          const { status, location } = answer(url);
          response.writeHead(status, location === undefined ? {} : { location }).end();
        })();
      });
      await once(server.listen(0, 'localhost'), 'listening');
      nodes.push(server);
      return { address: `localhost:${(server.address() as AddressInfo).port}`, requests };
    }

    async function stoppedNode(): Promise<string> {
      const { address } = await startNode(() => ({ status: 500 }));
      await new Promise((resolve) => void nodes.pop()?.close(resolve));
      return address;
    }

    /** Runs the script until it has printed a text. Resolves with its whole output. */
    async function runUntil(text: string, addresses: readonly string[]): Promise<string> {
      const env = {
        ...process.env,
        NODES: addresses.join(','),
        NODE_EXTRA_CA_CERTS: certificate.cert,
        SECRETS: dir,
      };
      child = spawn(process.execPath, [script], { env });
      let printed = '';
      for (const stream of [child.stdout, child.stderr])
        stream.setEncoding('utf8').on('data', (chunk: string) => (printed += chunk));
      await until(() => printed.includes(text));
      return printed;
    }

    const newUser = {
      path: '/users/',
      authorization: ADMIN,
      body: { loginName: 'plaza', fullName: 'Plaza', groups: [], password: PASSWORD },
    };

    it('asks the next node if one does not answer, and follows a redirection to the leader', async () => {
      const leader = await startNode(() => ({ status: 201 }));
      const follower = await startNode((path) => ({
        status: 307,
        location: `https://${leader.address}${path}`,
      }));
      const printed = await runUntil('has its password', [
        await stoppedNode(),
        follower.address,
        leader.address,
      ]);
      expect(leader.requests).toEqual([newUser]);
      for (const secret of [PASSWORD, 'd/e+f=']) expect(printed).not.toContain(secret);
    });

    it('sets the password of an existing user, at a node that can', async () => {
      const starting = await startNode(() => ({ status: 503 }));
      const leader = await startNode((path) => ({ status: path === '/users/' ? 409 : 200 }));
      await runUntil('has its password', [starting.address, leader.address]);
      expect(leader.requests).toEqual([
        newUser,
        {
          path: '/users/plaza/command/reset-password',
          authorization: ADMIN,
          body: { newPassword: PASSWORD },
        },
      ]);
    });

    it("prints every node's fault while none can", async () => {
      const stopped = await stoppedNode();
      const refusing = await startNode(() => ({ status: 401 }));
      const printed = await runUntil('not yet', [stopped, refusing.address]);
      expect(printed).toContain(`not yet: ${stopped}: ECONNREFUSED, ${refusing.address} answers 401`);
    });
  },
);
