import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { limits } from '../../src/base/config/limit-settings.js';
import { rankTest } from '../support/rank-test.js';
import { password } from './support/auth-network.js';
import { MailFixture } from './support/mail.js';
import type { PersonWithAddress } from './support/mail.js';
import { Visitor } from './support/visitor.js';
import type { PageAnswer } from './support/visitor.js';

/**
 * Pairs of a known and an unknown address, asked for in turns. Times that are alike at the look need no more, which three of
 * four equal ones are. By simulation, a difference of half a standard deviation is found with a probability of 0.93 (without the
 * look 0.98), and one of 0.6 of it with 0.99. The hash of a password takes several.
 */
const PAIRS = { look: 80, all: 200 };
const LOOKS_EQUAL = 0.25;
const ALPHA = 0.01;
const ACCOUNT = '/api/auth/account';

let mail: MailFixture;
let known: PersonWithAddress;
/** The person who changes the address. */
let person: PersonWithAddress;
let origin: string;

beforeAll(async () => {
  mail = await MailFixture.start();
  await mail.restart({ RATE_LIMITS: 'off' });
  [known, person] = [await mail.verified(), await mail.verified()];
});

afterAll(() => mail.stop());

/** As long as a known one. */
const unknownAddress = () => `mail_${randomUUID().slice(0, 8)}@example.org`;

/** Makes a request ready, whose sending is measured. */
type Ready = (email: string) => Promise<() => Promise<PageAnswer>>;

async function formOf(visitor: Visitor, page: string) {
  const { forms } = await visitor.open(`${origin}${page}`);
  // All forms of a page are of one browser. A network without mail shows none for an address.
  const form = forms[0]?.fields['form'] ?? '';
  return (action: string, fields: Readonly<Record<string, string>>) => () =>
    visitor.request(`${origin}${action}`, {
      method: 'POST',
      headers: { origin },
      body: new URLSearchParams({ form, ...fields }),
    });
}

interface Form {
  readonly quota: number;
  /** `typed`: in place of what is right. */
  open(typed?: Readonly<Record<string, string>>): Promise<Ready>;
}

const forms: Readonly<Record<string, Form>> = {
  'a request for a link': {
    quota: limits.mail.address.quota,
    open: async () => {
      const send = await formOf(new Visitor(origin), ACCOUNT);
      return (email) => Promise.resolve(send(`${ACCOUNT}/recovery`, { email }));
    },
  },
  'a sign-up': {
    quota: limits.signUp.address.quota,
    open: (typed) =>
      Promise.resolve(async (email) => {
        const send = await formOf(new Visitor(origin), `${ACCOUNT}/sign-up`);
        const handle = `mail_${randomUUID().slice(0, 8)}`;
        return send(`${ACCOUNT}/sign-up`, { handle, displayName: 'N', email, password, ...typed });
      }),
  },
  'a change of the address': {
    quota: limits.mail.address.quota,
    open: async () => {
      const visitor = new Visitor(origin);
      const { handle } = person;
      await visitor.submit(await visitor.open(`${origin}${ACCOUNT}`), { handle, password });
      const send = await formOf(visitor, ACCOUNT);
      return (email) => Promise.resolve(send(`${ACCOUNT}/address`, { email, confirm: password }));
    },
  },
};

/** The parts that are alike in answers of one kind. */
function normal({ status, text, headers }: PageAnswer): string {
  const said = [...headers].map(([name, value]) => `${name}: ${value.replaceAll(/=[^;]*|\d+/g, '')}`);
  const fields = said.filter((line) => !/^(date|x-request-id|content-length)\b/.test(line));
  return JSON.stringify([status, fields, text.replaceAll(/value="[^"]*"|[0-9a-f-]{36}|\d+ min/g, '')]);
}

/** Distinct answers, and the probability that equal times differ in rank as these do. */
async function measure(form: Form): Promise<{ readonly answers: readonly string[]; readonly p: number }> {
  const ready = await form.open();
  const answers = new Set<string>();
  const times = { known: [] as number[], unknown: [] as number[] };
  const ask = async (email: string, of: number[]) => {
    const send = await ready(email);
    const begin = performance.now();
    const answer = await send();
    of.push(performance.now() - begin);
    answers.add(normal(answer));
  };
  for (let pair = 0; pair < PAIRS.all; pair++) {
    if (pair === PAIRS.look && rankTest(times.known, times.unknown) > LOOKS_EQUAL) break;
    const asks = [() => ask(known.address, times.known), () => ask(unknownAddress(), times.unknown)];
    for (const each of pair % 2 === 0 ? asks : asks.toReversed()) await each();
  }
  return { answers: [...answers], p: rankTest(times.known, times.unknown) };
}

/** A busy machine may tell two equal samples apart once. */
async function compare(form: Form) {
  const first = await measure(form);
  return first.p > ALPHA ? first : measure(form);
}

/** Forms that are refused count, too. Those without a name cost no hash. */
async function useUp(form: Form): Promise<void> {
  const ready = await form.open({ displayName: '' });
  for (let times = 0; times <= form.quota; times++) await (await ready(unknownAddress()))();
}

interface State {
  readonly restart: () => Promise<string>;
  readonly prepare?: (form: Form) => Promise<void>;
}

const withMail = async (settings?: NodeJS.ProcessEnv): Promise<string> => {
  await mail.restart(settings);
  return mail.network.baseUrl;
};

const states: Readonly<Record<string, State>> = {
  'with mail': { restart: () => withMail({ RATE_LIMITS: 'off' }) },
  'with the budget used up': { restart: () => withMail(), prepare: useUp },
  'without mail': { restart: () => mail.restartWithoutMail({ RATE_LIMITS: 'off' }) },
};

describe.each(Object.entries(states))('%s', (_state, { restart, prepare }) => {
  beforeAll(async () => {
    origin = await restart();
  });

  it.each(Object.entries(forms))('%s tells no known address, by answer or time', async (_form, form) => {
    await prepare?.(form);
    const { answers, p } = await compare(form);
    expect(answers).toHaveLength(1);
    expect(p).toBeGreaterThan(ALPHA);
  });
});
