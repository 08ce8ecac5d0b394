import { render } from 'preact';
import { App } from './app.tsx';

const root = document.querySelector('#app');
if (root === null) throw new Error('the page has no place for the view');
render(<App />, root);
