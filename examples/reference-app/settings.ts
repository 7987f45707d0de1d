/** The settings of this application, from the environment. README.md has a table of them. */
const { BASE_URL = 'http://localhost:3000', CLIENT_ID, CLIENT_SECRET } = process.env;
const { REFERENCE_APP_PORT = '3002', SESSIONS = '.data/reference-app.sqlite' } = process.env;
const { ORIGIN = `http://localhost:${REFERENCE_APP_PORT}` } = process.env;
if (!/^\d+$/.test(REFERENCE_APP_PORT) || Number(REFERENCE_APP_PORT) > 65_535)
  quit(`REFERENCE_APP_PORT ${REFERENCE_APP_PORT}: it must be a port, from 0 to 65535`);
if (!CLIENT_ID || !CLIENT_SECRET)
  quit('CLIENT_ID and CLIENT_SECRET are not set; README.md says where they come from');
for (const [name, address] of Object.entries({ BASE_URL, ORIGIN }))
  if (!/^https?:/.test(address) || URL.parse(address)?.origin !== address)
    quit(`${name} ${address}: it must be an address such as https://social.example, without a slash`);
if (/^http:\/\/(?!localhost(:|$)|127\.0\.0\.1(:|$)|\[::1\])/.test(BASE_URL))
  quit(`BASE_URL ${BASE_URL}: it must begin with https, because tokens go there; http is for this machine`);

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
