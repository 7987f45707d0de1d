import { act } from '../desk/act.js';

const servedByConsole = () => Promise.resolve(undefined);

/** Pages that perform no act of their own: src/operator/console answers them. */
export const consoleActs = [
  act({ name: 'console.open', may: 'anyone', route: 'GET /console', run: servedByConsole }),
  act({ name: 'console.asset', may: 'anyone', route: 'GET /console/assets/:file', run: servedByConsole }),
  act({ name: 'console.ask_sign_in', may: 'anyone', route: 'GET /console/sign-in', run: servedByConsole }),
  act({
    name: 'console.ask_enrollment',
    may: 'anyone',
    route: 'GET /console/enrollments',
    run: servedByConsole,
  }),
  act({
    name: 'console.follow_plots',
    may: 'status.read',
    route: 'GET /console/plots/stream',
    run: servedByConsole,
  }),
  act({ name: 'own.read', may: 'self', route: 'GET /console/own', run: servedByConsole }),
  act({ name: 'own.sign_out', may: 'self', route: 'POST /console/sign-out', run: servedByConsole }),
];
