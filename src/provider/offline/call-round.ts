import { unreachable } from '../../runtime/unreachable.ts';
import type { SimpleCommand } from './commands.ts';
import { inline, quoted } from './quotes.ts';
import { call, say, type ScriptCall, type ScriptStep } from './script-step.ts';
import type { CallView } from './turn-view.ts';

/** Calls that are made in one round, each with the name under which its result is told. */
export interface CallRound {
  readonly announcement: string;
  readonly calls: readonly (ScriptCall & { readonly label: string })[];
}

export function roundOf(command: SimpleCommand): CallRound {
  switch (command.kind) {
    case 'read': {
      const names = command.paths.map((path) => `\`${path}\``).join(', ');
      const calls = command.paths.map((path) => ({ name: 'read_file', args: { path }, label: path }));
      return { announcement: `I will read ${names}.`, calls };
    }
    case 'list': {
      const args = command.glob === null ? {} : { glob: command.glob };
      return one('I will list the files.', { name: 'list_files', args, label: 'The files' });
    }
    case 'search': {
      const { pattern } = command;
      const label = `The hits for "${inline(pattern)}"`;
      return one('I will search.', { name: 'search_text', args: { pattern }, label });
    }
    case 'view': {
      const { image } = command;
      return one('I will look at the image again.', { name: 'view_image', args: { image }, label: image });
    }
    case 'write': {
      const { path, content } = command;
      return one(`I will write \`${path}\`.`, { name: 'write_file', args: { path, content }, label: path });
    }
    case 'edit': {
      const { path, old_text, new_text } = command;
      const args = { path, old_text, new_text };
      return one(`I will edit \`${path}\`.`, { name: 'edit_file', args, label: path });
    }
    case 'run': {
      const line = command.command;
      const run = { name: 'run_command', args: { command: line }, label: line };
      return one(`I will run \`${inline(line)}\`.`, run);
    }
    case 'ask': {
      const { question } = command;
      return one('I have a question.', { name: 'ask_user', args: { question }, label: 'Your answer' });
    }
    default:
      return unreachable(command);
  }
}

const MAX_TOGETHER = 8;

export function together(commands: readonly SimpleCommand[]): CallRound {
  const rounds = commands.slice(0, MAX_TOGETHER).map(roundOf);
  return {
    announcement: rounds.map(({ announcement }) => announcement).join(' '),
    calls: rounds.flatMap(({ calls }) => calls).slice(0, MAX_TOGETHER),
  };
}

/** The calls, and once they are made an answer that quotes what they gave. */
export function stepOf(round: CallRound, made: readonly CallView[]): ScriptStep {
  if (made.length === 0) return call(round.announcement, ...round.calls);
  return say(made.map((view, index) => resultOf(view, round.calls[index]?.label ?? view.name)).join('\n\n'));
}

export function resultOf(made: CallView, label: string): string {
  switch (made.outcome) {
    case 'denied':
      return `\`${made.name}\` was denied (${inline(label)}), so I leave it:\n${quoted(made.output)}`;
    case 'failed':
      return `\`${made.name}\` failed (${inline(label)}):\n${quoted(made.output)}`;
    case 'pending':
    case 'succeeded':
      return `${inline(label)}:\n${quoted(made.output)}`;
    default:
      return unreachable(made.outcome);
  }
}

function one(announcement: string, made: CallRound['calls'][number]): CallRound {
  return { announcement, calls: [made] };
}
