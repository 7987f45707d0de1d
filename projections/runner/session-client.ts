export { endSession, sessionClient } from '../../src/store/session-client.js';
