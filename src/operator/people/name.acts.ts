import { z } from 'zod';
import { act } from '../desk/act.js';
import { names, namesOf } from '../desk/names.js';
import { identifier } from '../desk/schemas.js';

const MOST = 1_000;

const ids = z
  .array(z.string().regex(identifier, 'must be identifiers of the network'))
  .max(MOST, `at most ${MOST}`)
  .default([]);

/** Shown names are no look: a list shows people by name, and is none either (docs/adr/0028-console.md, "Looks"). */
export const nameActs = [
  act({
    name: 'name.list',
    may: 'audit.read',
    route: 'POST /operator/names',
    input: z.strictObject({ actors: ids, applications: ids, operators: ids, posts: ids }),
    answer: names,
    run: (input, { services }) => namesOf(services, input),
  }),
];
