import { MemoryLog } from '../projections/support/memory-log.js';
import { itIsALog } from './support/log-contract.js';

const log = new MemoryLog();

itIsALog(() => ({ log, destroyKey: (person) => Promise.resolve(log.destroyKey(person)) }));
