export { titleOf } from '../runtime/title.ts';
