import { promisesOfCutLog } from './cut-log.ts';
import { FAILURE, LARGE, STOPPED } from './recorded-session.ts';

promisesOfCutLog('a failure, an interruption and large bodies', [FAILURE, STOPPED, LARGE]);
