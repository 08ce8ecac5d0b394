import { expect, test } from 'vitest';
import { ParentLine } from '../../webview/parent-line.tsx';
import { click, draw, elementsIn } from '../support/small-dom.ts';

const PARENT = {
  session_id: 'parent',
  subagent_id: 'sub_1',
  agent: 'explorer',
  depth: 1,
  title: 'Mend the build',
};

function line(parent: typeof PARENT | undefined): { readonly text: string; readonly posted: unknown[] } {
  const posted: unknown[] = [];
  const presenter = { post: (message: unknown) => void posted.push(message), gesture: () => undefined };
  const { body } = draw(<ParentLine parent={parent} presenter={presenter} />);
  for (const one of elementsIn(body).filter(({ localName }) => localName === 'button')) click(one);
  return { text: body.textContent, posted };
}

test('a child says in which role it works and for whom, and leads there', () => {
  expect(line(PARENT)).toEqual({
    text: 'Explorerchild of Mend the build',
    posted: [{ type: 'run_action', command: 'ledgerline.openSession', args: ['parent'] }],
  });
});

test('a child whose parent is gone names it by its id, and one that a person began says nothing', () => {
  expect(line({ ...PARENT, title: '', agent: '' }).text).toBe('Agentchild of parent');
  expect(line(undefined)).toEqual({ text: '', posted: [] });
});
