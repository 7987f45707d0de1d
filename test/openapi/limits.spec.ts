import { describe, expect, it } from '@jest/globals';
import { MAX_CHANGES } from '../../src/commands/support/handle-idempotent-command.js';
import { limits } from '../../src/base/config/limit-settings.js';
import { MAX_MENTIONS } from '../../src/domain/post/mentions.js';
import { HttpModule } from '../../src/doors/api/http.module.js';
import { documentOf } from '../../src/doors/api/openapi/document.js';
import { operationsOf } from '../../src/doors/api/openapi/openapi.js';

const document = documentOf(HttpModule, 'https://network.example');

interface Leaf {
  readonly path: string;
  readonly name: string;
  readonly value: number;
}

function leavesOf(value: object, path: string): Leaf[] {
  return Object.entries(value).flatMap(([name, inner]: [string, unknown]) =>
    typeof inner === 'number'
      ? [{ path: `${path}.${name}`, name, value: inner }]
      : leavesOf(inner as object, `${path}.${name}`),
  );
}

/** The number as the document has it, with its unit. */
function written({ name, value }: Leaf): string {
  if (name === 'windowSeconds') return value === 60 ? 'a minute' : `in ${value / 60} minutes`;
  if (name.endsWith('Ms')) return `${value / 1000} (to|s)`;
  if (name === 'unreadBytes') return `${value / 1024 / 1024} MiB`;
  if (name === 'bytes') return `${value / 1024} KiB`;
  return value.toLocaleString('en');
}

const holds = (text: string, number: string) => new RegExp(`(?<![\\d,])${number}(?![\\d,]\\d)`).test(text);

const refusedOf = (id: string) =>
  operationsOf(document).find(({ operation }) => operation.operationId === id)?.operation.responses[429]
    ?.description ?? '';

describe('the document', () => {
  it('has every limit with its number', () => {
    const missing = leavesOf(limits, 'limits').filter(
      (leaf) => !holds(document.info.description, written(leaf)),
    );
    expect(missing).toEqual([]);
  });

  it('has the limits of texts and subjects with their numbers', () => {
    const message = JSON.stringify(document.components.examples['domain_plan_too_large']);
    for (const number of [MAX_MENTIONS, MAX_CHANGES].map((limit) => limit.toLocaleString('en')))
      expect(message).toContain(number);
  });

  const { anonymous, bearer, refused, refreshes, openStreams, streamRetrySeconds } = limits;
  it.each([
    ['getPost', [anonymous.reads.quota, bearer.reads.quota, refused.address.quota]],
    ['reconcile', [anonymous.events.quota, bearer.reads.quota, refused.address.quota]],
    [
      'listEvents',
      [anonymous.events.quota, ...Object.values(openStreams), ...Object.values(streamRetrySeconds)],
    ],
    ['createPost', [bearer.writes.quota, refused.address.quota]],
    ['exchangeToken', [refreshes.grant.quota, refused.address.quota]],
    ['getUserinfo', [bearer.reads.quota, refused.address.quota]],
    ['introspectToken', [refused.address.quota]],
  ])('has those of an operation at its 429: %s', (id, numbers) => {
    const text = refusedOf(id);
    expect(numbers.filter((number) => !holds(text, number.toLocaleString('en')))).toEqual([]);
  });

  it('has numbers at each 429', () => {
    const without = operationsOf(document)
      .filter(({ operation }) => operation.responses[429] && !/\d/.test(operation.responses[429].description))
      .map(({ operation }) => operation.operationId);
    expect(without).toEqual([]);
  });
});
