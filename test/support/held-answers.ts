/**
 * Holds answers of acts to the schemas of their rows: those that the acts give in this process, to whatever entrance, and those
 * that an {@link OperatorClient} gets from another one.
 */
import { Answer } from '../../src/operator/desk/act.js';
import type { Act } from '../../src/operator/desk/act.js';
import { actTable } from '../../src/operator/entrances/table.js';
import { holdAnswers } from './operator-client.js';

const rows = new Map(actTable.map((row) => [row.route, row]));

holdAnswers((route, answer) => {
  const row = rows.get(route);
  if (row === undefined) throw new Error(`no act has the route ${route}`);
  row.answer.parse(answer);
});

for (const row of actTable) Object.assign(row, { run: held(row) });

function held(row: Act): Act['run'] {
  const run = row.run.bind(row);
  return async (input, context) => {
    const answer = await run(input, context);
    row.answer.parse(answer instanceof Answer ? answer.body : answer);
    return answer;
  };
}
