import { promisesOfCutLog } from './cut-log.ts';
import { ROUNDS } from './recorded-session.ts';

promisesOfCutLog('tool rounds with parallel calls', [ROUNDS]);
