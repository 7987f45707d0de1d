import { X509Certificate } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from '@jest/globals';
import { tlsIdentity } from './tls-identity.js';

let dir: string;

beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'plaza-tls-'));
});

afterEach(async () => rm(dir, { recursive: true }));

const at = (year: number, host = '127.0.0.1') =>
  tlsIdentity({ dir, host, now: () => new Date(Date.UTC(year, 6)) });

it('a certificate is kept for nine years and renewed before it expires; the password stays', async () => {
  const first = await at(2030);
  expect(await at(2038)).toEqual(first);
  const second = await at(2040);
  expect(second.certificate).not.toBe(first.certificate);
  expect(second.key).not.toBe(first.key);
  expect(second.password).toBe(first.password);
  expect(new X509Certificate(second.certificate).validToDate.getUTCFullYear()).toBe(2050);
});

it('a certificate names the host on which the store listens', async () => {
  const first = await at(2030);
  const second = await at(2030, 'log.example');
  expect(new X509Certificate(first.certificate).checkHost('log.example')).toBeUndefined();
  expect(new X509Certificate(second.certificate).checkHost('log.example')).toBe('log.example');
  expect(await at(2030)).toEqual(second);
});

it('the error names a damaged certificate', async () => {
  await at(2030);
  await writeFile(join(dir, 'tls.crt'), 'damaged');
  await expect(at(2030)).rejects.toThrow(`${join(dir, 'tls.crt')} or ${join(dir, 'tls.key')} is damaged`);
});
