import type { ModelRequest, ToolSpec } from '../../runtime/ports.ts';
import { unreachable } from '../../runtime/unreachable.ts';
import { isArray, isObject } from '../json-values.ts';
import { agentStep } from './agent-script.ts';
import { type Command, NEEDED_TOOL, parseCommand, USAGE } from './commands.ts';
import { fixStep } from './fix-script.ts';
import { roundOf, stepOf, together } from './call-round.ts';
import { planStep } from './plan-script.ts';
import { inline } from './quotes.ts';
import { skillStep } from './skill-script.ts';
import { call, say, type ScriptCall, type ScriptStep } from './script-step.ts';
import { workflowStep } from './workflow-script.ts';
import { turnOf, type TurnView } from './turn-view.ts';

const WHO =
  "I am Ledgerline's offline model: a fixed script, not a real model. I understand only these commands:";
const CHECKPOINT = 'report_checkpoint';

/** The next step of the script. A pure function of the request: the same input always gives the same answer. */
export function offlineReply(request: ModelRequest): ScriptStep {
  const turn = turnOf(request.input);
  const pending = turn.calls.filter(({ outcome }) => outcome === 'pending');
  if (pending.length > 0) {
    const names = pending.map(({ name, args }) => `\`${name}\` ${inline(args)}`).join(', ');
    return say(`I am waiting for a decision about ${names}. I will go on when it has a result.`);
  }
  const own = turn.calls.filter(({ name }) => name !== CHECKPOINT);
  const offered = new Set(request.tools.map(({ name }) => name));
  const step = commandStep(commandOf(turn), { ...turn, calls: own }, offered);
  const missing = step.calls.find(({ name }) => !offered.has(name));
  if (missing !== undefined)
    return say(`The tool \`${missing.name}\` is not offered here, so I cannot do that.`);
  return reported(step, turn, request.tools);
}

/** What is said after the skill that a message begins with; a skill alone is told. */
function commandOf({ text, skills }: TurnView): Command {
  const [, name = '', rest = ''] = /^\/(\S+)\s*([\s\S]*)$/u.exec(text) ?? [];
  if (!skills.has(name)) return parseCommand(text);
  return rest === '' ? { kind: 'skill', name } : parseCommand(rest);
}

function commandStep(command: Command, turn: TurnView, offered: ReadonlySet<string>): ScriptStep {
  const { calls } = turn;
  switch (command.kind) {
    case 'help':
      return say(`${WHO}\n${usageList(offered)}${attachmentNote(turn)}`);
    case 'unknown':
      return say(
        `I do not understand "${inline(turn.text)}". ${WHO}\n${usageList(offered)}${attachmentNote(turn)}`,
      );
    case 'usage':
      return say(`That command has another form: ${USAGE[command.of] ?? command.of}`);
    case 'view':
      return command.image === '' && turn.last_image === null
        ? say('I know of no image here: no checkpoint names one. Attach an image, or give a reference.')
        : stepOf(roundOf({ kind: 'view', image: command.image || (turn.last_image ?? '') }), calls);
    case 'read':
    case 'list':
    case 'search':
    case 'write':
    case 'edit':
    case 'run':
    case 'ask':
      return stepOf(roundOf(command), calls);
    case 'all':
      return stepOf(together(command.commands), calls);
    case 'agent':
      return agentStep(command.tasks, calls);
    case 'workflow':
      return command.stages.length === 0 && calls.length === 0
        ? say(`That command has another form: ${USAGE['workflow'] ?? ''}`)
        : workflowStep(command.stages, calls);
    case 'hold':
      return say(`I cannot go on before I know: ${inline(command.question)}`);
    case 'fix':
      return fixStep(calls);
    case 'skill':
      return skillStep(command.name, turn);
    case 'plan':
      return planStep(command.steps, calls);
    case 'think': {
      const about = command.about === '' ? 'nothing in particular' : inline(command.about);
      return say(`I have thought about ${about}, as far as a script can. There is no conclusion.`, {
        reasoning: `The person asks me to think about ${about}.\n\nI am a script: these words are fixed, and no model reasons here.`,
      });
    }
    case 'fail': {
      const message = 'The offline model failed because it was asked to. Nothing is wrong.';
      const { error, after_output } = command;
      return say('', { ending: { kind: 'failed', failure: { kind: error, message }, after_output } });
    }
    case 'cut': {
      const message = 'The offline model broke off because it was asked to. Nothing is wrong.';
      const text =
        'This answer will break off before its end, as a broken connection would do it, and the last thing you see is';
      const failure = { kind: 'stream_cut', message } as const;
      return say(text, { ending: { kind: 'failed', failure, after_output: true } });
    }
    case 'slow':
      return say(SLOW_TEXT, { pace: 'slow' });
    default:
      return unreachable(command);
  }
}

/** A child of a workflow owes its orchestrator a checkpoint before its last words. */
function reported(step: ScriptStep, turn: TurnView, tools: readonly ToolSpec[]): ScriptStep {
  const isLast = step.calls.length === 0 && step.ending.kind === 'completed';
  const owes =
    tools.some(({ name }) => name === CHECKPOINT) && !turn.calls.some(({ name }) => name === CHECKPOINT);
  if (!isLast || !owes) return step;
  const holds = commandOf(turn).kind === 'hold';
  const isDone = turn.calls.every(({ outcome }) => outcome === 'succeeded');
  const status = holds ? 'held' : isDone ? 'checkpoint_ready' : 'partial';
  return call('I report what I have.', {
    name: CHECKPOINT,
    args: { status, summary: step.text.slice(0, 1_000) },
  });
}

/** Strict schemas require every property: those the script does not set are null. */
export function argumentsFor(tool: ToolSpec | undefined, given: ScriptCall['args']): string {
  const properties = tool?.parameters.properties;
  const required = tool?.parameters.required;
  if (!isObject(properties)) return JSON.stringify(given);
  const names = Object.keys(properties).filter(
    (name) => Object.hasOwn(given, name) || (isArray(required) && required.includes(name)),
  );
  return JSON.stringify(Object.fromEntries(names.map((name) => [name, given[name] ?? null])));
}

function usageList(offered: ReadonlySet<string>): string {
  return Object.entries(USAGE)
    .filter(([name]) => NEEDED_TOOL[name] === undefined || offered.has(NEEDED_TOOL[name]))
    .map(([, line]) => `- ${line}`)
    .join('\n');
}

function attachmentNote(turn: TurnView): string {
  const { attachments } = turn;
  return attachments.length === 0
    ? ''
    : `\n\nI cannot look at attachments. You attached: ${attachments.map(inline).join('; ')}.`;
}

const SLOW_TEXT = Array.from(
  { length: 60 },
  (_, index) => `Line ${index + 1} of 60: nothing happens here, slowly, so that you can try the Stop button.`,
).join('\n');
