import { documentOf } from './document.js';
import { actTable } from './table.js';

process.stdout.write(documentOf(actTable));
