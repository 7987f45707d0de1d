/** The settings of this application, from the environment. README.md has a table of them. */
const { BASE_URL = 'http://localhost:3000', CLIENT_ID = '', CLIENT_SECRET = '' } = process.env;
const { REFERENCE_APP_PORT = '3002', SESSIONS = '.data/reference-app.sqlite' } = process.env;
const { ORIGIN = `http://localhost:${REFERENCE_APP_PORT}` } = process.env;

const missing = Object.entries({ CLIENT_ID, CLIENT_SECRET }).find(([, value]) => value === '');
if (missing) quit(`${missing[0]} is not set; README.md says where it comes from`);

export const settings = {
  baseUrl: BASE_URL,
  clientId: CLIENT_ID,
  clientSecret: CLIENT_SECRET,
  port: Number(REFERENCE_APP_PORT),
  /** The address of this application for browsers. */
  origin: ORIGIN,
  isHttps: ORIGIN.startsWith('https:'),
  /** The file of the sessions. Processes of the same application share it. */
  sessionsFile: SESSIONS,
};

export const SCOPE =
  'openid offline_access read post:create post:edit post:delete relation:write ' +
  'block:read block:write inbox:write profile:write report:create';

export function quit(message: string): never {
  console.error(message);
  process.exit(2);
}
