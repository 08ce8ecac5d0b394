import { promisesOfCutLog } from './cut-log.ts';
import { FAILURE, LARGE, STOPPED, TALK } from './recorded-session.ts';

promisesOfCutLog('an answer, a failure, an interruption and large bodies', [TALK, FAILURE, STOPPED, LARGE]);
