import type { RunSettings } from '../../src/runtime/extension.ts';
import type { PermissionMode } from '../../src/runtime/events.ts';
import type { OpenCall } from '../../src/runtime/turn.ts';
import type { Incarnation } from './incarnation.ts';
import { PersonSaying } from './person-saying.ts';
import type { Random } from './random.ts';
import type { Action, Temperament } from './temperament.ts';
import type { World } from './world.ts';

/** The one who uses the program: outlives its crashes, and sends again what got no answer. */
export class SimPerson {
  readonly sent: string[] = [];
  private left: number;
  private readonly saying: PersonSaying;
  private model = 'sim-a';
  private branch = 'main';
  private mode: PermissionMode = 'auto';

  constructor(
    private readonly random: Random,
    private readonly temperament: Temperament,
    private readonly world: World,
    private readonly note: (line: string) => void,
  ) {
    this.left = temperament.actions;
    this.saying = new PersonSaying(random.branch(), temperament, world);
  }

  get finished(): boolean {
    return this.left === 0;
  }

  get settings(): RunSettings {
    const { model, branch, mode: permission_mode, temperament } = this;
    return {
      ...temperament.settings,
      model,
      branch,
      permission_mode,
      workspace: '/w',
      reasoning_effort: null,
      compaction_strategy: this.left % 2 === 0 ? 'deterministic_v1' : 'model_assisted_v1',
    };
  }

  act(window: Incarnation): void {
    const action = this.wanted(window);
    // Who is asked has patience: it is not what they came for.
    if ((action !== 'decide' && action !== 'edit') || this.random.chance(0.3)) this.left -= 1;
    this.note(`person ${action}`);
    switch (action) {
      case 'send':
        return window.send(this.freshId());
      case 'repeat':
        return window.send(this.knownId());
      case 'decide': {
        const decision = this.saying.about(window.session?.state.turn ?? null);
        this.note(`  ${decision.decision_id}: ${decision.action} ${decision.target_id}`);
        return window.decide(decision);
      }
      case 'edit':
        return this.world.files.edit(this.random.pick(['a', 'b']));
      case 'stop':
        return window.stop();
      case 'close':
        return window.close();
      case 'compact':
        return window.compact(this.random.chance(0.3));
      case 'change_settings':
        this.model = this.random.pick(['sim-a', 'sim-b']);
        this.branch = this.random.pick(['main', 'other']);
        this.mode = this.random.pick(['auto', 'auto', 'ask', 'read_only']);
    }
  }

  /** Most people look at what they are asked, and say nothing where they are not. */
  private wanted(window: Incarnation): Action {
    const { random, temperament } = this;
    const open = [...(window.session?.state.turn?.open.values() ?? [])];
    const action = random.weighted(temperament.person);
    if (open.some(isAsked)) {
      if (!random.chance(temperament.attention)) return action;
      return temperament.person.edit > 0 && random.chance(0.2) ? 'edit' : 'decide';
    }
    return action === 'decide' && open.length === 0 && random.chance(0.9) ? 'send' : action;
  }

  freshId(): string {
    const id = `client_${this.sent.length + 1}`;
    this.sent.push(id);
    return id;
  }

  /** Most likely one that was never answered. */
  private knownId(): string {
    const unanswered = this.sent.filter((id) => !this.world.acknowledged.has(id));
    if (unanswered.length > 0 && this.random.chance(0.7)) return this.random.pick(unanswered);
    return this.sent.length === 0 ? this.freshId() : this.random.pick(this.sent);
  }
}

function isAsked({ state, decision }: OpenCall): boolean {
  return state === 'suspended' && decision === null;
}
