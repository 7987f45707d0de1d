import 'reflect-metadata';
import { writeFileSync } from 'node:fs';
import { HttpModule } from '../doors/api/http.module.js';
import { documentOf } from '../doors/api/openapi/document.js';

const [, , file] = process.argv;
if (file === undefined) throw new Error('Name the file to write the OpenAPI document to: node print.js FILE');
writeFileSync(file, JSON.stringify(documentOf(HttpModule, 'http://localhost:3000')));
