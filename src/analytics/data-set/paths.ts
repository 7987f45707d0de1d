import { join } from 'node:path';

const pad = (number: number) => String(number).padStart(12, '0');

export const paths = {
  key: (dir: string) => join(dir, 'key'),
  commits: (dir: string) => join(dir, 'commits'),
  commit: (dir: string, number: number) => join(dir, 'commits', `${pad(number)}.json`),
  applications: (dir: string) => join(dir, 'applications.json'),
  completeUntil: (dir: string) => join(dir, 'complete-until'),
  cut: (dir: string) => join(dir, 'cut'),
  views: (dir: string) => join(dir, 'views.sql'),
  report: (dir: string) => join(dir, 'report.html'),
  temporary: (dir: string) => join(dir, 'tmp'),
  events: (dir: string) => join(dir, 'events'),
  spill: (dir: string) => join(dir, 'spill'),
  people: (dir: string) => join(dir, 'people'),
};

export const COMMIT_NAME = /^(\d{12})\.json$/;
export const DAY_NAME = /^day=([\d-]+)$/;
export const FILE_NAME = /^\d+-\d+(?:-\d+)?\.parquet$/;

/** `commit`: number of the commit that merges files: one of them may begin and end where the merged one does. */
export const filePath = (day: string, first: number, last: number, commit?: number) =>
  `events/day=${day}/${[first, last, ...(commit === undefined ? [] : [commit])].join('-')}.parquet`;

export const peoplePath = (number: number) => `people/${pad(number)}.parquet`;

/** The UTC day of a time in Unix milliseconds: `2026-01-31`. */
export const dayOf = (at: number): string => new Date(at).toISOString().slice(0, -'T00:00:00.000Z'.length);
