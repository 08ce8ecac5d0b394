import { render } from 'preact';
import { App } from './app.tsx';
import { FaultBoundary } from './fault-boundary.tsx';
import { ViewFault } from './fault-view.tsx';
import type { Presenter } from './presenter.ts';
import { keep, postToHost } from './vscode-api.ts';

const root = document.querySelector('#app');
if (root === null) throw new Error('the page has no place for the view');

const session_id = root.getAttribute('data-session');
if (session_id !== null) keep({ session_id });

/** There is no state left that a gesture could change. */
const presenter: Presenter = { post: postToHost, gesture: () => undefined };

render(
  <FaultBoundary
    of={root}
    fallback={(reason, retry) => <ViewFault reason={reason} retry={retry} presenter={presenter} />}
  >
    <App />
  </FaultBoundary>,
  root,
);
