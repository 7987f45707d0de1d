import { readFileSync } from 'node:fs';
import { expect, it } from '@jest/globals';
import { spawnPlaza } from '../support/command.js';
import { SERVER } from './support/example.js';

it('names a missing setting in one line', async () => {
  for (const [set, name] of [
    [{}, 'CLIENT_ID'],
    [{ CLIENT_ID: 'x', CLIENT_SECRET: '' }, 'CLIENT_SECRET'],
  ] as const) {
    const { code, stderr } = await spawnPlaza([], set, '', SERVER);
    expect([code, stderr]).toEqual([2, `${name} is not set; README.md says where it comes from\n`]);
  }
});

it('names the address where no network answers, in one line', async () => {
  const set = { CLIENT_ID: 'x', CLIENT_SECRET: 'y', BASE_URL: 'http://localhost:1' };
  const { code, stderr } = await spawnPlaza([], set, '', SERVER);
  expect([code, stderr]).toEqual([2, 'BASE_URL http://localhost:1: fetch failed\n']);
});

it('has less than 150 lines', () => {
  expect(readFileSync(SERVER, 'utf8').split('\n').length - 1).toBeLessThan(150);
});
