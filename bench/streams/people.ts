import { randomBytes, randomUUID } from 'node:crypto';
import { operatorOf } from '../operator.js';
import { signIn } from '../../src/programs/demo/sign-in.js';
import type { BenchNetwork } from '../network.js';

export interface Person {
  readonly actorId: string;
  readonly token: string;
}

const redirectUri = 'http://localhost:8910/callback';
const AT_ONCE = 8;

export async function newPeople({ baseUrl, run }: BenchNetwork, count: number): Promise<readonly Person[]> {
  const operator = operatorOf(run.settings);
  const scopes = ['openid', 'read', 'post:create', 'relation:write'] as const;
  const application = await operator.call('POST /operator/applications', {
    name: 'Benchmark',
    redirectUris: [redirectUri],
    scopes,
  });
  const people: Person[] = [];
  const one = async (): Promise<Person> => {
    const person = { handle: `b_${randomBytes(6).toString('hex')}`, password: randomUUID() };
    const email = `${person.handle}@example.org`;
    const { actorId } = await operator.call('POST /operator/accounts', {
      ...person,
      displayName: 'B',
      email,
    });
    const scope = scopes.join(' ');
    const { access_token: token } = await signIn(baseUrl, { ...application, ...person, redirectUri, scope });
    return { actorId, token };
  };
  while (people.length < count)
    people.push(
      ...(await Promise.all(Array.from({ length: Math.min(AT_ONCE, count - people.length) }, one))),
    );
  return people;
}
