import { z } from 'zod';
import { act } from '../desk/act.js';

const byConsole = { answer: z.undefined(), run: () => Promise.resolve(undefined) };

/** Pages that perform no act of their own: src/operator/entrances/console answers them. */
export const consoleActs = [
  act({ name: 'console.open', may: 'anyone', route: 'GET /console', ...byConsole }),
  act({ name: 'console.asset', may: 'anyone', route: 'GET /console/assets/:file', ...byConsole }),
  act({ name: 'console.ask_sign_in', may: 'anyone', route: 'GET /console/sign-in', ...byConsole }),
  act({ name: 'console.ask_enrollment', may: 'anyone', route: 'GET /console/enrollments', ...byConsole }),
  act({ name: 'console.follow_plots', may: 'status.read', route: 'GET /console/plots/stream', ...byConsole }),
  act({ name: 'own.read', may: 'self', route: 'GET /console/own', ...byConsole }),
  act({ name: 'own.sign_out', may: 'self', route: 'POST /console/sign-out', ...byConsole }),
];
