import type { NodeState } from '../src/presenter/agent-states.ts';
import { STATE_LOOKS } from '../src/presenter/state-looks.ts';
import type { IconName } from './icons.tsx';

/** Colours of the table are tokens of the workbench; here they are classes of the style sheet. */
const TONES = {
  'charts.yellow': 'yellow',
  'charts.green': 'green',
  'charts.orange': 'orange',
  errorForeground: 'red',
  descriptionForeground: 'quiet',
} as const;

export interface Look {
  readonly icon: IconName;
  readonly tone: string;
}

export function stateLook(state: NodeState): Look {
  const { icon, color } = STATE_LOOKS[state];
  return { icon, tone: color === null ? 'plain' : TONES[color] };
}
