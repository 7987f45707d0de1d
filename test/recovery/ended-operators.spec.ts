import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { HttpRefusal } from '../../src/server/errors.js';
import type { RestrictionEvent } from '../../src/log/restrictions.js';
import { isLimitWitnessed, requireNotEnded } from '../../src/operator/desk/identity/ended-operators.js';
import { openWitness } from '../../src/log/witness/open-witness.js';
import { some } from '../projections/support/recorded.js';
import { startTestPostgres } from '../support/postgres.js';
import type { TestPostgres } from '../support/postgres.js';
import { startTcpProxy } from '../support/tcp-proxy.js';
import { LogAndWitness } from './support/log-and-witness.js';

const operatorId = 'ada';
const tokenId = 'desk';

let postgres: TestPostgres;
let ledgers: LogAndWitness;

beforeAll(async () => {
  postgres = await startTestPostgres();
});
afterAll(() => postgres?.stop());

beforeEach(async () => {
  ledgers = await LogAndWitness.open(postgres);
  ledgers.log.add(
    some.invitation(operatorId),
    some.enrollment(operatorId),
    some.tokenIssue(operatorId, tokenId),
    some.tokenIssue(operatorId, 'laptop'),
    some.passkey(operatorId, 'phone'),
  );
});
afterEach(() => ledgers?.close());

/** `admitted`, or the code of the refusal. */
const outcome = (witness = ledgers.witness, id = tokenId): Promise<string> =>
  requireNotEnded({ log: ledgers.log, witness }, { operatorId, id }).then(
    () => 'admitted',
    (error: unknown) => (error instanceof HttpRefusal ? error.code : String(error)),
  );

/** Has the witness record these, and then the log lose them. */
async function lose(...events: RestrictionEvent[]): Promise<void> {
  for (const [at, event] of events.entries()) await ledgers.restrict(event, at + 1);
  // LogAndWitness begins with three events, this file with five.
  ledgers.log.rollBack(8);
}

describe('an operator of a restored network that is not checked yet', () => {
  it('is admitted if log and ledger agree', async () => {
    expect(await outcome()).toBe('admitted');
    await ledgers.restrict(some.roles(operatorId), 1);
    expect(await outcome()).toBe('admitted');
  });

  it.each([
    ['suspension', some.operatorSuspension(operatorId)],
    ['role change', some.roles(operatorId)],
    ['revocation of the token', some.tokenRevocation(operatorId, tokenId)],
  ])('is refused after a %s that the log lost', async (_what, event) => {
    await lose(event);
    expect(await outcome()).toBe('invalid_token');
  });

  it.each([
    ['suspension', some.operatorSuspension(operatorId)],
    ['revocation of the token', some.tokenRevocation(operatorId, tokenId)],
  ])('is refused after a %s that the log has', async (_what, event) => {
    await ledgers.restrict(event, 1);
    expect(await outcome()).toBe('invalid_token');
  });

  it('is refused while it is in doubt if a suspension is in the log', async () => {
    await ledgers.appendPrepared(some.operatorSuspension(operatorId), 1);
    ledgers.log.rollBack(8);
    expect(await outcome()).toBe('invalid_token');
    const [prepared] = await ledgers.witness.unsettled(10, 0n, 1);
    await ledgers.witness.withdraw(prepared?.restriction.id ?? '', 1);
    expect(await outcome()).toBe('admitted');
  });

  it('is admitted after the end of another token or operator', async () => {
    await lose(some.tokenRevocation(operatorId, 'laptop'), some.operatorSuspension('bob'));
    expect(await outcome()).toBe('admitted');
  });

  it('is refused after a removal of the passkey, in log or ledger, and admitted by another credential', async () => {
    expect(await outcome(ledgers.witness, 'phone')).toBe('admitted');
    await ledgers.restrict(some.passkeyRemoval(operatorId, 'phone'), 1);
    expect(await outcome(ledgers.witness, 'phone')).toBe('invalid_token');
    ledgers.log.rollBack(8);
    expect(await outcome(ledgers.witness, 'phone')).toBe('invalid_token');
    expect(await outcome()).toBe('admitted');
  });

  it('is refused if the log does not know the operator or the token', async () => {
    ledgers.log.rollBack(5);
    expect(await outcome()).toBe('invalid_token');
    ledgers.log.rollBack(3);
    expect(await outcome()).toBe('invalid_token');
  });

  it('is refused while the ledger does not answer', async () => {
    const url = new URL(ledgers.witnessUrl);
    const proxy = await startTcpProxy(Number(url.port));
    url.port = String(proxy.port);
    const away = ledgers.closeLater(openWitness({ url: url.href, applicationName: 'test' }));
    await proxy.close();
    expect(await outcome(away)).toBe('restriction_witness_unavailable_or_incomplete');
    expect(await isLimitWitnessed(away)).toBe(false);
    const none = openWitness({ url: undefined, applicationName: 'test' });
    expect(await outcome(none)).toBe('restriction_witness_unavailable_or_incomplete');
  });
});

it('the limit of the shared token is found in the ledger of a log that lost it', async () => {
  expect(await isLimitWitnessed(ledgers.witness)).toBe(false);
  await lose(some.sharedTokenLimit());
  expect(await isLimitWitnessed(ledgers.witness)).toBe(true);
});
