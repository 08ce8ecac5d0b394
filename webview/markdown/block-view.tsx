import type { VNode } from 'preact';
import { Icon } from '../icons.tsx';
import { t } from '../l10n.ts';
import type { Presenter } from '../presenter.ts';
import { CodeBlock } from './code-block.tsx';
import { codeText } from '../../src/presenter/markdown/code-text.ts';
import type { End } from '../../src/presenter/markdown/document.ts';
import { Inlines } from './inline-view.tsx';
import type { Block, Cell, Item } from '../../src/presenter/markdown/nodes.ts';

interface Around {
  readonly presenter: Presenter;
  /** Of the last block; those before it are closed. */
  readonly end: End;
  /** The outermost block has a side for all that is in it: marks and bars stand where the words begin. */
  readonly dir?: 'auto' | undefined;
}

export function Blocks({ blocks, presenter, end, dir }: { blocks: readonly Block[] } & Around): VNode {
  return (
    <>
      {blocks.map((block, index) => (
        <BlockView
          key={index}
          block={block}
          presenter={presenter}
          end={index === blocks.length - 1 ? end : 'closed'}
          dir={dir}
        />
      ))}
    </>
  );
}

function BlockView({ block, presenter, end, dir }: { block: Block } & Around): VNode {
  switch (block.kind) {
    case 'paragraph':
      return (
        <p dir={dir}>
          <Inlines nodes={block.children} presenter={presenter} />
        </p>
      );
    case 'line':
      return (
        <div class="line" dir={dir}>
          <Inlines nodes={block.children} presenter={presenter} />
        </div>
      );
    case 'heading':
      return <Heading block={block} presenter={presenter} dir={dir} />;
    case 'list':
      return <List block={block} presenter={presenter} end={end} dir={dir} />;
    case 'quote':
      return (
        <blockquote dir={dir}>
          <Blocks blocks={block.children} presenter={presenter} end={end} />
        </blockquote>
      );
    case 'rule':
      return <hr />;
    case 'code':
      return <CodeBlock info={block.info} code={codeText(block.text)} presenter={presenter} end={end} />;
    case 'table':
      return <Table block={block} presenter={presenter} />;
    case 'raw':
      return (
        <p class="raw" dir={dir}>
          {block.text}
        </p>
      );
  }
}

type Of<K extends Block['kind']> = Extract<Block, { kind: K }>;

/** The page has headings of its own above these. */
const LEVELS = ['h3', 'h4', 'h5', 'h6', 'h6', 'h6'] as const;

function Heading({ block, presenter, dir }: { block: Of<'heading'> } & Omit<Around, 'end'>): VNode {
  const Level = LEVELS[block.depth - 1] ?? 'h6';
  return (
    <Level class={`heading depth-${block.depth}`} dir={dir}>
      <Inlines nodes={block.children} presenter={presenter} />
    </Level>
  );
}

function List({ block, presenter, end, dir }: { block: Of<'list'> } & Around): VNode {
  const items = block.items.map((item, index) => (
    <ItemView
      key={index}
      item={item}
      presenter={presenter}
      end={index === block.items.length - 1 ? end : 'closed'}
    />
  ));
  const look = block.loose ? 'loose' : 'tight';
  return block.start === null ? (
    <ul class={look} dir={dir}>
      {items}
    </ul>
  ) : (
    <ol class={look} dir={dir} start={block.start}>
      {items}
    </ol>
  );
}

function ItemView({ item, presenter, end }: { item: Item } & Around): VNode {
  return (
    <li class={item.task === 'none' ? undefined : 'task'}>
      {item.task !== 'none' && <TaskMark done={item.task === 'done'} />}
      <Blocks blocks={item.children} presenter={presenter} end={end} />
    </li>
  );
}

/** Not an input: it says how things are, and there is nothing to change. */
function TaskMark({ done }: { done: boolean }): VNode {
  return (
    <span class="task-mark" role="img" aria-label={done ? t('Done') : t('Not done')}>
      <Icon name={done ? 'task-done' : 'task-open'} />
    </span>
  );
}

function Table({ block, presenter }: { block: Of<'table'>; presenter: Presenter }): VNode {
  return (
    <div class="table" tabIndex={0} role="group" aria-label={t('Table')}>
      <table>
        <thead>
          <tr>
            {block.head.map((cell, index) => (
              <th key={index} scope="col" class={alignOf(cell)} dir="auto">
                <Inlines nodes={cell.children} presenter={presenter} />
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {block.rows.map((row, at) => (
            <tr key={at}>
              {row.map((cell, index) => (
                <td key={index} class={alignOf(cell)} dir="auto">
                  <Inlines nodes={cell.children} presenter={presenter} />
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function alignOf({ align }: Cell): string | undefined {
  return align === null ? undefined : `align-${align}`;
}
