import { describe, expect, it } from '@jest/globals';
import { eventTypes } from '../../log/registry.js';
import { parseSearch, searchText, typedText } from './search-query.js';

const now = Date.UTC(2026, 0, 31, 12);
const HOUR = 3_600_000;

describe('a search of the audit', () => {
  it('has terms in any order, all of which must hold', () => {
    expect(parseSearch(' app:Pebble_1 actor:-k3Jx0 since:24h  actor:bob type:post.created ', now)).toEqual({
      typed: [
        { kind: 'actor', id: '-k3Jx0' },
        { kind: 'actor', id: 'bob' },
        { kind: 'app', id: 'Pebble_1' },
      ],
      types: ['post.created'],
      since: now - 24 * HOUR,
    });
  });

  it('may be empty', () => {
    expect(parseSearch('', now)).toEqual({ typed: [] });
  });

  it('has quotes around a value with spaces', () => {
    expect(parseSearch(String.raw`operator:"Ana \"the\" L" grant:"g1"`, now).typed).toEqual([
      { kind: 'grant', id: 'g1' },
      { kind: 'operator', id: 'Ana "the" L' },
    ]);
  });

  it('finds a request and an intent by ids with colons', () => {
    expect(parseSearch('request:a:b/c+d=.e intent:i:1', now)).toMatchObject({
      request: 'a:b/c+d=.e',
      intent: 'i:1',
    });
  });

  it('has handles, names of any script, and a reason or its begin', () => {
    expect(parseSearch('actor:@ana app:"Œuvre 1" claimed:root', now).typed).toEqual([
      { kind: 'actor', id: '@ana' },
      { kind: 'app', id: 'Œuvre 1' },
      { kind: 'claimed', id: 'root' },
    ]);
    const reasonOf = (text: string) => parseSearch(text, now).reason;
    expect(reasonOf('reason:"order 12 C 34/26"')).toEqual({ text: 'order 12 C 34/26', isBegin: false });
    expect(reasonOf('reason:"order 12*"')).toEqual({ text: 'order 12', isBegin: true });
  });

  it('has alternative types, types by their begin, and excluded types', () => {
    const typesOf = (text: string) => parseSearch(text, now).types;
    expect(typesOf('type:post.created type:post.edited')).toEqual(['post.created', 'post.edited']);
    expect(typesOf('type:block.*')).toEqual(['block.established', 'block.ended']);
    expect(typesOf('type:block.* -type:block.ended')).toEqual(['block.established']);
    expect(typesOf('-type:post.*')).toEqual(eventTypes.filter((type) => !type.startsWith('post.')));
  });

  it('includes the whole day of until:, and excludes its time', () => {
    expect(parseSearch('since:2026-01-30 until:2026-01-30', now)).toMatchObject({
      since: Date.UTC(2026, 0, 30),
      until: Date.UTC(2026, 0, 31),
    });
    expect(parseSearch('until:2026-01-30T09:30Z', now).until).toBe(Date.UTC(2026, 0, 30, 9, 30));
  });

  it.each([
    ['alice', '“alice” names no filter: write for example actor:ID'],
    ['operator:Ana L', '“L” names no filter'],
    ['aktor:bob', 'There is no filter aktor:. Did you mean actor:?'],
    ['colour:red', 'There is no filter colour:. Filters: actor:'],
    ['actor:', 'actor: has no value.'],
    ['actor:a/b', 'actor: must be an id or a handle.'],
    ['post:@ana', 'post: must be an identifier of the network.'],
    ['reason:*', 'reason: must have characters before the *.'],
    ['-actor:bob', 'Only types can be excluded: not -actor:.'],
    ['app:a app:b', 'app: stands there twice; no event has two of them.'],
    [
      Array.from({ length: 11 }, (_, n) => `actor:a${n}`).join(' '),
      'A search names at most 10 subjects; no event is about more.',
    ],
    ['type:post.create', 'There is no event type post.create. Did you mean post.created?'],
    ['type:nothing.*', 'There is no event type nothing.*.'],
    ['type:block.* -type:block.*', '-type: excludes every type of type:.'],
    ['since:yesterday', 'since: must be a time (2026-01-31, 2026-01-31T09:30Z) or a time ago (24h, 7d).'],
    ['since:1h until:2h', 'since: must be before until:.'],
    ['operator:"Ana', 'The quotes of operator:"Ana must surround its whole value'],
    ['operator:"Ana"x', 'The quotes of operator:"Ana"x must surround its whole value'],
    [`request:${'x'.repeat(65)}`, 'request: must be an x-request-id or requestId.'],
    ['intent:a/b', 'intent: must be an intentId.'],
  ])('that is %s is refused: %s', (text, said) => {
    expect(() => parseSearch(text, now)).toThrow(said);
  });

  it('is written with absolute times, and read again', () => {
    const search = parseSearch(
      String.raw`actor:bob operator:"Ana \\ L" -type:post.* request:r intent:i reason:"order 12*" since:24h until:1h`,
      now,
    );
    expect(parseSearch(typedText(search), now + 5 * HOUR)).toEqual(search);
    expect(searchText({ about: [{ kind: 'operator', id: 'Ana L' }], since: now - 24 * HOUR })).toBe(
      'operator:"Ana L" since:2026-01-30T12:00:00.000Z',
    );
  });
});
