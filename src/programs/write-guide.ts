/** Makes the guide that a network serves, at build time: `node write-guide.js docs/applications.md dist/guide.json`. */
import { readFileSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { guideOf } from '../doors/api/resources/docs/guide/markdown.js';

const [, , document, file] = process.argv;
if (document === undefined || file === undefined)
  throw new Error('Name the document and the file to write: node write-guide.js DOCUMENT FILE');
writeFileSync(file, JSON.stringify(guideOf(readFileSync(document, 'utf8'), dirname(document))));
