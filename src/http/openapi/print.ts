import 'reflect-metadata';
import { writeFileSync } from 'node:fs';
import { HttpModule } from '../http.module.js';
import { documentOf } from './document.js';

/** Writes the published document into the file that is named, as a network at its default address serves it. */
const [, , file] = process.argv;
if (file === undefined) throw new Error('name the file to write to');
writeFileSync(file, JSON.stringify(documentOf(HttpModule, 'http://localhost:3000')));
