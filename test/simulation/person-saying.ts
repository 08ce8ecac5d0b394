import type { Decision } from '../../src/runtime/decisions.ts';
import type { OpenCall, Turn } from '../../src/runtime/turn.ts';
import type { Random } from './random.ts';
import type { Temperament } from './temperament.ts';
import type { World } from './world.ts';

type Words = Omit<Decision, 'decision_id'>;

/** What a person says about calls: what they see asked, what is not asked yet, and what they said before. */
export class PersonSaying {
  private made = 0;

  constructor(
    private readonly random: Random,
    private readonly temperament: Temperament,
    private readonly world: World,
  ) {}

  about(turn: Turn | null): Decision {
    const { random, world } = this;
    const saying = random.weighted(this.temperament.sayings);
    const open = [...(turn?.open.values() ?? [])];
    const asked = open.filter((call) => call.state === 'suspended');
    const undecided = asked.filter((call) => call.decision === null);
    const one = (calls: readonly OpenCall[]): OpenCall | null =>
      calls.length === 0 ? null : random.pick(calls);
    const call = one(undecided) ?? one(asked) ?? one(open);
    switch (saying) {
      case 'resume':
        return this.fresh({ target_id: this.nameOf(call), action: 'resume' });
      case 'answer':
        return this.fresh({ target_id: this.nameOf(call), action: 'resume', payload: this.payload() });
      case 'mark_done':
        return this.fresh({
          target_id: this.nameOf(call),
          action: 'resume',
          resume_mode: random.pick(['use_decision_as_result', 'replay_tool_call', 'pass_decision_to_tool']),
          ...(random.chance(0.5) ? { payload: this.payload() } : {}),
        });
      case 'cancel':
        return this.fresh({
          target_id: this.nameOf(call),
          action: 'cancel',
          ...(random.chance(0.3) ? { reason: 'not now' } : {}),
        });
      case 'repeat': {
        if (world.said.size === 0) return this.fresh({ target_id: this.nameOf(call), action: 'resume' });
        const before = random.pick([...world.said.values()].flat());
        // Most likely word for word.
        if (random.chance(0.8)) return before;
        return { ...before, target_id: this.nameOf(call), action: random.pick(['resume', 'cancel']) };
      }
      case 'early': {
        const early = one(open.filter(({ state }) => state === 'new' || state === 'running')) ?? call;
        return this.fresh({
          target_id: early?.call_id ?? 'call_0',
          action: random.pick(['resume', 'resume', 'cancel']),
          ...(random.chance(0.3) ? { payload: this.payload() } : {}),
        });
      }
      case 'nonsense':
        return this.fresh({
          target_id: random.pick(['nothing', this.nameOf(call)]),
          action: random.pick(['', '{}', 'null', 'approve', 'Resume', 'resume']),
        });
    }
  }

  private fresh(words: Words): Decision {
    this.made += 1;
    return { decision_id: `said_${this.made}`, ...words };
  }

  private payload(): { readonly result: unknown } {
    return { result: this.random.pick(['this one', { choice: 1 }, true, null, '', [], false]) };
  }

  private nameOf(call: OpenCall | null): string {
    if (call === null) return this.random.pick(['call_0', 'suspension_0']);
    return this.random.pick([
      call.call_id,
      call.suspension?.id ?? call.call_id,
      call.pending_id ?? call.call_id,
    ]);
  }
}
