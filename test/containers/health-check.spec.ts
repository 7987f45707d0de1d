import { afterEach, describe, expect, it } from '@jest/globals';
import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';

const script = fileURLToPath(new URL('../../docker/healthy.mjs', import.meta.url));
let server: Server | undefined;

afterEach(async () => {
  server?.closeAllConnections();
  await new Promise((resolve) => void (server ? server.close(resolve) : resolve(undefined)));
  server = undefined;
});

/** Answers /readyz, and nothing else. Resolves with the port. */
async function startProcess(status: number, text: string): Promise<string> {
  server = createServer((request, response) => {
    response.writeHead(request.url === '/readyz' ? status : 404).end(text);
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return String((server.address() as AddressInfo).port);
}

function check(env: NodeJS.ProcessEnv): Promise<{ code: unknown; stdout: string }> {
  return new Promise((resolve) => {
    execFile(process.execPath, [script], { env: { PATH: process.env['PATH'], ...env } }, (error, stdout) =>
      resolve({ code: error?.code ?? 0, stdout }),
    );
  });
}

describe("the image's health check", () => {
  it('passes for a ready API process, and prints its answer', async () => {
    const PORT = await startProcess(200, '{"status":"ok"}');
    expect(await check({ ROLE: 'api', PORT })).toEqual({ code: 0, stdout: '{"status":"ok"}\n' });
  });

  it('asks a worker at its port for metrics, and fails with the answer if the worker is not ready', async () => {
    const METRICS_PORT = await startProcess(503, '{"status":"error"}');
    expect(await check({ ROLE: 'projector', METRICS_PORT })).toEqual({
      code: 1,
      stdout: '{"status":"error"}\n',
    });
  });

  it('fails for a worker without a port', async () => {
    expect(await check({ ROLE: 'projector' })).toEqual({
      code: 1,
      stdout: expect.stringContaining('set METRICS_PORT'),
    });
  });

  it('fails with the reason if nothing listens', async () => {
    const PORT = await startProcess(200, '');
    await new Promise((resolve) => void server?.close(resolve));
    server = undefined;
    expect(await check({ ROLE: 'api', PORT })).toEqual({
      code: 1,
      stdout: `Port ${PORT} does not answer: ECONNREFUSED\n`,
    });
  });
});
