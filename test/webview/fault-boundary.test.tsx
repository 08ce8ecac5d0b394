import type { VNode } from 'preact';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { FaultBoundary } from '../../webview/fault-boundary.tsx';
import { TurnFault, ViewFault } from '../../webview/fault-view.tsx';
import type { Presenter } from '../../webview/presenter.ts';
import { draw, SmallDocument } from '../support/small-dom.ts';
import { prompt, turnOf } from './log-items.ts';

const presenter: Presenter = { post: () => undefined, gesture: () => undefined };

beforeEach(() => {
  vi.spyOn(console, 'error').mockReturnValue(undefined);
});
afterEach(() => vi.restoreAllMocks());

function Broken({ tries }: { tries: { count: number } }): VNode {
  tries.count += 1;
  throw new TypeError('no such thing');
}

test('a turn that cannot be drawn says so, and the others are there', async () => {
  const document = new SmallDocument();
  const turn = turnOf([prompt(0)]);
  const tries = { count: 0 };
  draw(
    <>
      <p>before </p>
      <FaultBoundary
        of={turn}
        fallback={(reason) => <TurnFault turn={turn} reason={reason} presenter={presenter} />}
      >
        <Broken tries={tries} />
      </FaultBoundary>
      <p>after</p>
    </>,
    document,
  );
  await expect.poll(() => document.body.textContent).toContain('This turn could not be drawn.');
  expect(document.body.textContent).toMatch(/^before .*Open log.*TypeError: no such thingafter$/);
});

test('a view that cannot be drawn is tried again only when somebody asks for it', async () => {
  const document = new SmallDocument();
  const tries = { count: 0 };
  const retries: (() => void)[] = [];
  draw(
    <FaultBoundary
      of={document}
      fallback={(reason, retry) => {
        retries.push(retry);
        return <ViewFault reason={reason} retry={retry} presenter={presenter} />;
      }}
    >
      <Broken tries={tries} />
    </FaultBoundary>,
    document,
  );
  await expect.poll(() => document.body.textContent).toContain('The log is safe');
  expect(tries.count).toBe(1);
  for (const count of [2, 3]) {
    retries.at(-1)?.();
    await expect.poll(() => tries.count).toBe(count);
    await expect.poll(() => document.body.textContent).toContain('Reload view');
  }
});
