/** `npm run sql -- NAME [INCARNATION]` prints the statement of a read for psql; without a name it lists the reads. */
import { explainScript } from './assembled.js';
import { assembledReads } from './reads.js';

const [, , name, incarnation] = process.argv;
const read = name === undefined ? undefined : assembledReads[name];
if (read) process.stdout.write(explainScript(read, incarnation));
else {
  if (name !== undefined) process.stderr.write(`There is no read named ${name}. These exist:\n`);
  const width = Math.max(...Object.keys(assembledReads).map(({ length }) => length));
  for (const [each, { purpose }] of Object.entries(assembledReads))
    process.stdout.write(`${each.padEnd(width)}  ${purpose}\n`);
  if (name !== undefined) process.exitCode = 1;
}
