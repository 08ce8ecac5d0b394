import { aboutOf } from '../presenter/failure.ts';
import { parsePresenterMessage, type Access, type PresenterMessage } from '../presenter/protocol.ts';
import type { NextAction } from '../runtime/events.ts';
import type { Prompt } from '../runtime/opening.ts';
import { activated } from '../runtime/extensions/skills.ts';
import type { ActiveSkill } from '../runtime/ports.ts';
import { decideInChat } from '../runtime/inspection/agent-actions.ts';
import { field } from '../runtime/loose-fields.ts';
import { carriedOut, type AgentAction } from './agents/agent-actions.ts';
import { askedWorkflow, askingTurn } from './agents/asked-workflow.ts';
import type { ConversationAgents } from './agents/conversation-agents.ts';
import type { TurnMeans } from './turn-means.ts';
import type { ConversationView } from './conversation-view.ts';
import { endProcess, ownAction } from './own-actions.ts';
import type { OpenedSession } from './open-session.ts';
import type { ProcessWatch } from './process-watch.ts';
import type { SessionSlot } from './session-slot.ts';
import { calledSkill } from './skill-file.ts';
import type { FoundSkill } from './skills.ts';

type MessageOf<T extends PresenterMessage['type']> = Extract<PresenterMessage, { type: T }>;

export interface TurnPorts {
  readonly slot: SessionSlot;
  readonly view: ConversationView;
  readonly watch: ProcessWatch;
  readonly agents: ConversationAgents;
  readonly trusted: () => boolean;
  readonly means: Pick<TurnMeans, 'runPorts' | 'attach' | 'skills' | 'skillNews'>;
  /** Opens the session anew, as what it is now. */
  readonly reopen: () => Promise<void>;
}

const UNTRUSTED = 'This workspace is not trusted, so no tool runs in it. Nothing was changed.';
const STOP: NextAction = { label: 'Stop', command: 'ledgerline.stop' };
const ASKS = 'The workflow waits for your answer. Answer its question, and it goes on. Nothing was changed.';

/** What a presenter asks for that begins, settles or ends a turn. */
export class TurnRequests {
  /** What comes meanwhile waits in the session. */
  private isCompacting = false;

  constructor(private readonly ports: TurnPorts) {}

  /** What was attached to a message that is sent again stays what it was, and so does its skill. */
  async send(
    message: MessageOf<'send'>,
    again: { readonly skill?: ActiveSkill | undefined } | null = null,
    call?: Prompt['call'],
  ): Promise<void> {
    const { client_turn_id, text, attachments, tools } = message;
    const draft = { client_turn_id };
    if (text.trim() === '' && attachments.length === 0)
      return this.ports.view.failure(
        'send',
        'empty_message',
        'The message is empty. Nothing was sent.',
        draft,
      );
    if ((await this.ports.slot.session?.abandoned()) === true) await this.ports.reopen();
    await this.ports.slot.loaded;
    const opened = this.ports.slot.session;
    const known = opened?.session?.find(client_turn_id);
    if (known !== undefined) return this.ports.view.turn(known);
    if (opened === null || opened.session === null || opened.access.kind !== 'writer')
      return this.ports.view.refuse('send', draft);
    const run = await this.ports.means.runPorts({ tools });
    const found =
      again === null
        ? await this.ports.means.attach(attachments, run)
        : { ok: true as const, value: attachments };
    if (!found.ok) {
      const { code, message: why, next_actions = [] } = found;
      return this.ports.view.failure('send', code, why, { ...draft, next_actions });
    }
    const kept = this.ports.trusted() ? again?.skill : undefined;
    const called = kept ?? (await this.called(text));
    if (called !== null && 'reason' in called) {
      const why = `The skill ${called.name} cannot be used. ${called.reason} Nothing was sent.`;
      return this.ports.view.failure('send', 'skill_unusable', why, draft);
    }
    const news = this.ports.means.skillNews();
    const extensions = [
      ...run.extensions,
      ...(called === null ? [] : [activated(called)]),
      ...(news === null ? [] : [news]),
    ];
    const prompt = { client_turn_id, text, attachments: found.value, tools, call };
    this.sayWaits('Earlier history is still being summed up. Your message is sent when that is done.');
    const outcome = await opened.session.send(prompt, { ...run, extensions });
    if (outcome.kind === 'duplicate') this.ports.view.turn(outcome.turn);
  }

  /** A person runs a workflow, or goes on with one: the turn begins with that, and the model is told what came of it. */
  async runWorkflow({
    client_turn_id,
    workflow,
  }: Omit<MessageOf<'run_workflow'>, 'v' | 'type'>): Promise<void> {
    await this.ports.slot.loaded;
    const asked = askedWorkflow(workflow, this.ports.slot.session?.state.workflows ?? []);
    if (!asked.ok)
      return this.ports.view.failure('run_workflow', 'invalid_workflow', asked.message, { client_turn_id });
    const { text, call, resumes } = asked;
    const state = this.ports.slot.session?.state;
    const asking = resumes === null || state === undefined ? null : askingTurn(state, resumes);
    if (asking !== null) {
      const next_actions = [decideInChat(asking)];
      return this.ports.view.failure('run_workflow', 'workflow_asks', ASKS, { client_turn_id, next_actions });
    }
    return this.send({ v: 1, type: 'send', client_turn_id, text, attachments: [] }, null, call);
  }

  /** The skill that a message begins with, as it is now; null when it begins with none. */
  private async called(text: string): Promise<FoundSkill | null> {
    const name = calledSkill(text);
    if (name === null) return null;
    const { skillOf } = await import('./workspace-lookup.ts');
    return skillOf(await this.ports.means.skills(), name) ?? null;
  }

  async decide(message: MessageOf<'decide'>): Promise<void> {
    await this.ports.slot.loaded;
    const opened = this.ports.slot.session;
    const about = aboutOf(message);
    if (opened === null || opened.session === null || opened.access.kind !== 'writer')
      return this.ports.view.refuse('decide', about);
    if (!this.ports.trusted()) return this.ports.view.failure('decide', 'untrusted', UNTRUSTED, about);
    this.sayWaits('Earlier history is still being summed up. Your decision counts when that is done.');
    const { result, ...decision } = message;
    const payload = result === undefined ? undefined : { result };
    const { agents } = this.ports;
    const asked = { ...decision, payload };
    // Names of calls are only unique in their own log: what this one knows, also as settled, is meant first.
    const own = await opened.session.decide(asked, () => this.ports.means.runPorts());
    const isUnknown = own.kind === 'refused' && own.code === 'unknown_target';
    const outcome = (isUnknown ? await agents.decide(asked) : null) ?? own;
    if (outcome.kind === 'refused') this.ports.view.failure('decide', outcome.code, outcome.message, about);
    if (outcome.kind === 'duplicate') this.ports.view.lastTurn();
  }

  /** A model may take its time with it: whoever asks does not wait here, and what comes later waits in the session. */
  async compact({ dry_run }: MessageOf<'compact'>): Promise<void> {
    await this.ports.slot.loaded;
    const opened = this.ports.slot.session;
    if (opened === null || opened.session === null || opened.access.kind !== 'writer')
      return this.ports.view.refuse('compact');
    this.isCompacting = true;
    const outcome = await opened.session
      .compact({ dry_run }, () => this.ports.means.runPorts())
      .finally(() => (this.isCompacting = false));
    if (outcome.kind === 'preview') return this.ports.view.preview(outcome.record);
    if (outcome.kind !== 'refused') return;
    const { code, message, next_actions } = outcome;
    this.ports.view.failure('compact', code, message, { next_actions });
  }

  private sayWaits(words: string): void {
    if (this.isCompacting) this.ports.view.notice('info', words, [STOP]);
  }

  async stop(): Promise<void> {
    const opened = this.ports.slot.session;
    if (opened?.access.kind !== 'writer') return this.ports.view.refuse('stop');
    await opened.session?.stop('user_cancelled');
  }

  /**
   * Whether a message stops a compaction that is under way, and nothing else. What came meanwhile waits for the end of
   * it, and a stop that waited as well would come too late.
   */
  stopsCompaction(raw: unknown): boolean {
    if (field(raw, 'type') !== 'stop' || !parsePresenterMessage(raw).ok) return false;
    return this.ports.slot.session?.session?.stopCompaction() === true;
  }

  /** With words of its own: what only says again why the session is locked is not shown a second time. */
  private notSent({ reason, message, next_actions }: Extract<Access, { kind: 'read_only' }>): void {
    this.ports.view.failure('run_action', `session_${reason}`, `${message} Nothing was sent.`, {
      next_actions,
    });
  }

  /** What a person wants of a child. How it goes on is in the log. */
  private async actOn({ what, subagent_id }: AgentAction, opened: OpenedSession | null): Promise<void> {
    const { desk } = this.ports.agents;
    if (desk === null || opened?.access.kind !== 'writer') return this.ports.view.refuse('run_action');
    if (what === 'resume' && !this.ports.trusted())
      return this.ports.view.failure('run_action', 'untrusted', UNTRUSTED);
    const answer = await carriedOut(desk, what, subagent_id);
    if (!answer.ok) this.ports.view.failure('run_action', answer.error.kind, answer.error.message);
  }

  /** A compaction is handed on: nobody waits for it here. */
  async runAction(
    { command, args }: MessageOf<'run_action'>,
    compact: (message: MessageOf<'compact'>) => Promise<void>,
  ): Promise<void> {
    const opened = this.ports.slot.session;
    if (opened === null && command === 'ledgerline.reopenSession') return this.ports.reopen();
    const action = opened === null ? null : await ownAction(command, args, opened);
    switch (action?.kind) {
      case 'send':
        if (opened?.access.kind === 'read_only') return this.notSent(opened.access);
        return this.send({ v: 1, type: 'send', ...action }, action);
      case 'compact':
        return compact({ v: 1, type: 'compact', dry_run: action.dry_run });
      case 'outdated':
        return this.ports.view.lastTurn();
      case 'reopen':
        return this.ports.reopen();
      case 'workflow':
        return this.runWorkflow(action);
      case 'agent':
        return this.actOn(action, opened);
      case 'end_process':
        if (opened?.access.kind !== 'writer' || opened.session === null)
          return this.ports.view.refuse('run_action');
        if (!(await endProcess(opened.session, action.call)))
          this.ports.view.failure(
            'run_action',
            'process_remains',
            'The process could not be ended. End it by hand.',
          );
        return this.ports.watch.look();
      case 'refused':
        return this.ports.view.failure('run_action', action.code, action.message);
      case undefined:
        return this.ports.view.failure(
          'run_action',
          'not_available',
          `${command} is no command of this presenter.`,
        );
    }
  }
}
