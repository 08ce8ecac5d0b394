import { searchOnce } from './search.ts';

/** The process in which a search is measured: it loads nothing that a search does not need. */
const [folder = '', name = ''] = process.argv.slice(2);
await searchOnce(folder, name);
