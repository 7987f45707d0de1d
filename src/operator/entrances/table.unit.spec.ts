import { readFileSync } from 'node:fs';
import { fastify } from 'fastify';
import { describe, expect, it } from '@jest/globals';
import { permissions, permissionsOf, roles } from '../../domain/operator/roles.js';
import { requireActs } from './act-routes.js';
import { documentOf } from './document.js';
import { actTable } from './table.js';

const twice = (values: readonly string[]) => values.filter((value, at) => values.indexOf(value) !== at);

describe('the table of acts', () => {
  it('is published as docs/operator-acts.md', () => {
    const published = readFileSync(new URL('../../../docs/operator-acts.md', import.meta.url), 'utf8');
    expect(published).toBe(documentOf(actTable));
  });

  it('has each name and each route once', () => {
    expect(twice(actTable.map(({ name }) => name))).toEqual([]);
    expect(twice(actTable.map(({ route }) => route))).toEqual([]);
  });

  it('uses every permission, and some role has each', () => {
    const used = new Set<string>(actTable.map(({ may }) => may));
    expect(permissions.filter((permission) => !used.has(permission))).toEqual([]);
    const given = new Set(roles.flatMap((role) => permissionsOf[role]));
    expect(permissions.filter((permission) => !given.has(permission))).toEqual([]);
  });

  it('lets an auditor change nothing, and a viewer see no person', () => {
    const actsOf = (role: 'auditor' | 'viewer') =>
      actTable.filter(({ may }) => (permissionsOf[role] as readonly string[]).includes(may));
    // Names and disclosures take ids in a body; a build is dropped after a day; an export for analysts is
    // recorded. None changes anything that is shown.
    expect(actsOf('auditor').flatMap(({ method, name }) => (method === 'GET' ? [] : name))).toEqual([
      'account.export',
      'name.list',
      'text.disclose',
      'as_of.build',
      'as_of.disclose',
      'analytics.export',
      'analytics.decrypt',
      'analytics.resolve',
    ]);
    expect(actsOf('viewer').map(({ name }) => name)).toEqual([
      'four_eyes.status',
      'network.overview',
      'network.plots',
      'registration.status',
      'signing_key.list',
      'projection.status',
      'job.read',
      'recovery.status',
      'recovery.plan',
      'console.follow_plots',
    ]);
  });

  it('has no role that includes every other', () => {
    for (const role of roles) {
      const own: readonly string[] = permissionsOf[role];
      const all = roles.flatMap((other) => permissionsOf[other]);
      expect([role, all.every((permission) => own.includes(permission))]).toEqual([role, false]);
    }
  });

  it('lists every route: a server with another one does not start', async () => {
    const server = fastify();
    requireActs(server);
    expect(() => server.get('/operator/applications', () => 'listed')).not.toThrow();
    expect(() => server.get('/operator/secrets', () => 'not listed')).toThrow(
      'GET /operator/secrets is not in the table of acts',
    );
    expect(() => server.post('/operator/projections', () => 'listed for GET')).toThrow(
      'POST /operator/projections is not in the table of acts',
    );
    await server.close();
  });
});
