import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { rankTest } from '../support/rank-test.js';
import { MailFixture } from './support/mail.js';
import { Visitor } from './support/visitor.js';

/** Pairs of a known and an unknown address, asked for in turns. */
const PAIRS = 200;
const ALPHA = 0.01;

let mail: MailFixture;
let known: string;

beforeAll(async () => {
  mail = await MailFixture.start();
  await mail.restart({ RATE_LIMITS: 'off' });
  known = (await mail.verified()).address;
});

afterAll(() => mail.stop());

interface Measured {
  readonly known: number[];
  readonly unknown: number[];
  /** Distinct answers, without what is random in each. */
  readonly answers: Set<string>;
}

/** Times in ms of answers to a form of a browser. */
async function measure(origin: string): Promise<Measured> {
  const visitor = new Visitor(origin);
  // Its forms are of the same browser. A network without mail shows none for a link.
  const { forms } = await visitor.open(`${origin}/api/auth/account`);
  const form = forms[0]?.fields['form'] ?? '';
  const measured: Measured = { known: [], unknown: [], answers: new Set() };
  const ask = async (email: string, times: number[]) => {
    const begin = performance.now();
    const { status, text, headers } = await visitor.request(`${origin}/api/auth/account/recovery`, {
      method: 'POST',
      headers: { origin },
      body: new URLSearchParams({ form, email }),
    });
    times.push(performance.now() - begin);
    const names = [...headers.keys()].filter((name) => !/date|request-id/.test(name));
    measured.answers.add(JSON.stringify([status, names, text.replaceAll(/value="[^"]*"/g, '')]));
  };
  for (let pair = 0; pair < PAIRS; pair++) {
    const asks = [() => ask(known, measured.known), () => ask(`nobody${pair}@example.org`, measured.unknown)];
    for (const each of pair % 2 === 0 ? asks : asks.toReversed()) await each();
  }
  return measured;
}

/** A busy machine may tell two equal samples apart once. */
async function compare(origin = mail.network.baseUrl) {
  const { answers, known: one, unknown: two } = await measure(origin);
  const p = rankTest(one, two);
  if (p > ALPHA) return { p, answers: answers.size };
  const again = await measure(origin);
  return { p: rankTest(again.known, again.unknown), answers: again.answers.size };
}

const alike = async (origin?: string): Promise<boolean> => {
  const { p, answers } = await compare(origin);
  return answers === 1 && p > ALPHA;
};

it('of addresses is not possible by the answers to a request for a link, nor by their times', async () => {
  expect(await alike()).toBe(true);
  await mail.settle();
  mail.smtp.received.length = 0;
});

it('nor with the budget used up', async () => {
  await mail.restart();
  await measure(mail.network.baseUrl);
  expect(await alike()).toBe(true);
});

it('nor without mail', async () => {
  const origin = await mail.restartWithoutMail({ RATE_LIMITS: 'off' });
  expect(await alike(origin)).toBe(true);
});
