/** The settings of this application, from the environment. README.md has a table of them. */
const { BASE_URL = 'http://localhost:3000', CLIENT_ID, CLIENT_SECRET } = process.env;
const { REFERENCE_APP_PORT = '3002', SESSIONS = '.data/reference-app.sqlite' } = process.env;
const { ORIGIN = `http://localhost:${REFERENCE_APP_PORT}` } = process.env;
if (!CLIENT_ID || !CLIENT_SECRET)
  quit('CLIENT_ID and CLIENT_SECRET are not set; README.md says where they come from');

export const settings = {
  baseUrl: BASE_URL,
  clientId: CLIENT_ID,
  clientSecret: CLIENT_SECRET,
  port: Number(REFERENCE_APP_PORT),
  origin: ORIGIN,
  sessionsFile: SESSIONS,
};

export const SCOPES = (
  'openid offline_access read post:create post:edit post:delete relation:write ' +
  'block:read block:write inbox:write profile:write report:create'
).split(' ');

export function quit(message: string): never {
  console.error(message);
  process.exit(2);
}
