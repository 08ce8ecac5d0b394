import { aboutOf } from '../presenter/failure.ts';
import { parsePresenterMessage, type Access, type PresenterMessage } from '../presenter/protocol.ts';
import type { Attachment, NextAction } from '../runtime/events.ts';
import { activated, type ActiveSkill } from '../runtime/extensions/skills.ts';
import { field } from '../runtime/loose-fields.ts';
import type { RunPorts } from '../runtime/session-ports.ts';
import type { Resolved } from './attachments.ts';
import type { TurnLimits } from './turn-means.ts';
import type { ConversationView } from './conversation-view.ts';
import { endProcess, ownAction } from './own-actions.ts';
import type { ProcessWatch } from './process-watch.ts';
import type { SessionSlot } from './session-slot.ts';
import { calledSkill } from './skill-file.ts';
import type { FoundSkill } from './skills.ts';

type MessageOf<T extends PresenterMessage['type']> = Extract<PresenterMessage, { type: T }>;

export interface TurnPorts {
  readonly slot: SessionSlot;
  readonly view: ConversationView;
  readonly watch: ProcessWatch;
  readonly trusted: () => boolean;
  readonly runPorts: (limits?: TurnLimits) => Promise<RunPorts>;
  /** Looks up what a message carries by reference. */
  readonly attach: (given: readonly Attachment[], run: RunPorts) => Promise<Resolved<readonly Attachment[]>>;
  readonly skills: () => Promise<readonly FoundSkill[]>;
  /** Opens the session anew, as what it is now. */
  readonly reopen: () => Promise<void>;
}

const STOP: NextAction = { label: 'Stop', command: 'ledgerline.stop' };

/** What a presenter asks for that begins, settles or ends a turn. */
export class TurnRequests {
  /** What comes meanwhile waits in the session. */
  private isCompacting = false;

  constructor(private readonly ports: TurnPorts) {}

  /** What was attached to a message that is sent again stays what it was, and so does its skill. */
  async send(
    message: MessageOf<'send'>,
    again: { readonly skill?: ActiveSkill | undefined } | null = null,
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
    const run = await this.ports.runPorts({ tools });
    const found =
      again === null ? await this.ports.attach(attachments, run) : { ok: true as const, value: attachments };
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
    const extensions = called === null ? run.extensions : [...run.extensions, activated(called)];
    const prompt = { client_turn_id, text, attachments: found.value, tools };
    this.sayWaits('Earlier history is still being summed up. Your message is sent when that is done.');
    const outcome = await opened.session.send(prompt, { ...run, extensions });
    if (outcome.kind === 'duplicate') this.ports.view.turn(outcome.turn);
  }

  /** The skill that a message begins with, as it is now; null when it begins with none. */
  private async called(text: string): Promise<FoundSkill | null> {
    const name = calledSkill(text);
    return name === null ? null : ((await this.ports.skills()).find((one) => one.name === name) ?? null);
  }

  async decide(message: MessageOf<'decide'>): Promise<void> {
    await this.ports.slot.loaded;
    const opened = this.ports.slot.session;
    const about = aboutOf(message);
    if (opened === null || opened.session === null || opened.access.kind !== 'writer')
      return this.ports.view.refuse('decide', about);
    if (!this.ports.trusted()) {
      const text = 'This workspace is not trusted, so no tool runs in it. Nothing was changed.';
      return this.ports.view.failure('decide', 'untrusted', text, about);
    }
    this.sayWaits('Earlier history is still being summed up. Your decision counts when that is done.');
    const { result, ...decision } = message;
    const payload = result === undefined ? undefined : { result };
    const outcome = await opened.session.decide({ ...decision, payload }, () => this.ports.runPorts());
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
      .compact({ dry_run }, () => this.ports.runPorts())
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
