import type { ComponentChildren, VNode } from 'preact';
import type { Presenter } from '../presenter.ts';
import type { Inline } from '../../src/presenter/markdown/nodes.ts';
import { PathLink } from './path-link.tsx';

interface Props {
  readonly nodes: readonly Inline[];
  readonly presenter: Presenter;
}

/** Words and what stands among them. Text only ever becomes text. */
export function Inlines({ nodes, presenter }: Props): VNode {
  return <>{nodes.map((node, index) => inlineView(node, index, presenter))}</>;
}

function inlineView(node: Inline, key: number, presenter: Presenter): ComponentChildren {
  switch (node.kind) {
    case 'text':
      return node.text;
    case 'strong':
      return (
        <strong key={key}>
          <Inlines nodes={node.children} presenter={presenter} />
        </strong>
      );
    case 'emphasis':
      return (
        <em key={key}>
          <Inlines nodes={node.children} presenter={presenter} />
        </em>
      );
    case 'deleted':
      return (
        <del key={key}>
          <Inlines nodes={node.children} presenter={presenter} />
        </del>
      );
    case 'code':
      return node.place === null ? (
        <code key={key}>{node.text}</code>
      ) : (
        <PathLink key={key} {...node.place} presenter={presenter}>
          <code>{node.text}</code>
        </PathLink>
      );
    case 'link':
      return (
        <a key={key} href={node.href} title={node.href}>
          <Inlines nodes={node.children} presenter={presenter} />
        </a>
      );
    case 'place':
      return (
        <PathLink key={key} {...node.place} presenter={presenter}>
          <Inlines nodes={node.children} presenter={presenter} />
        </PathLink>
      );
    case 'break':
      return <br key={key} />;
  }
}
