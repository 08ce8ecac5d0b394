export { wholePercent } from '../runtime/whole-percent.ts';
