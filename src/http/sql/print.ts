/** `npm run sql -- NAME [INCARNATION]` prints the statement of a read for psql; without a name it lists the reads. */
import { assembled } from './assembled.js';
import { reads } from './reads.js';

const [, , name, incarnation] = process.argv;
const read = name === undefined ? undefined : reads[name];
if (read) process.stdout.write(assembled(read, incarnation));
else {
  if (name !== undefined) process.stderr.write(`There is no read named ${name}. These exist:\n`);
  const width = Math.max(...Object.keys(reads).map(({ length }) => length));
  for (const [each, { purpose }] of Object.entries(reads))
    process.stdout.write(`${each.padEnd(width)}  ${purpose}\n`);
  if (name !== undefined) process.exitCode = 1;
}
