import { first, type Promised } from './promise.ts';
import type { TurnFacts } from './turn-facts.ts';

export interface CallView {
  readonly turn: TurnFacts;
  /** Calls of a round go on together. */
  readonly batch: boolean;
  /** Whether an event was written by the opening of the session, before anybody could do anything. */
  readonly recovered: (seq: number) => boolean;
}

/** What a person has to do with calls; held by every turn of a log, at every moment. */
export const CALL_PROMISES: readonly Promised<CallView>[] = [
  {
    says: 'a call goes on only by a resume of a person, each of them once',
    broken: ({ turn }) =>
      eachCall(turn, (callId) => {
        let said: string | null = null;
        return first(turn.storyOf(callId), (event) => {
          if (event.type === 'tool_call_decision') said ??= event.data.action;
          if (event.type !== 'tool_call_status') return null;
          const { to, suspension } = event.data;
          // Nobody could have had that in mind before it was asked.
          if (suspension?.reason === 'outcome_unknown') said = null;
          if (to !== 'resuming') return null;
          const by = said;
          said = null;
          return by === 'resume' ? null : `${callId} at seq ${event.seq} by ${by}`;
        });
      }),
  },
  {
    says: 'nothing is decided about a call that is settled',
    broken: ({ turn }) =>
      first(turn.of('tool_call_decision'), ({ seq, data: { call_id = '', decision_id } }) =>
        turn.results(call_id).some((result) => result.seq < seq) ? `${call_id} by ${decision_id}` : null,
      ),
  },
  {
    says: 'a call that somebody is asked about does not run before they have said so',
    broken: ({ turn }) =>
      eachCall(turn, (callId) => {
        const asked = turn
          .of('permission_decision')
          .some(({ data }) => data.call_id === callId && data.decision === 'ask');
        const ran = turn.moves(callId).findIndex(({ data }) => data.to === 'running');
        const resumed = turn.moves(callId).findIndex(({ data }) => data.to === 'resuming');
        const first = turn.moves(callId)[0]?.data.to;
        return asked && first === 'suspended' && ran >= 0 && (resumed < 0 || resumed > ran) ? callId : null;
      }),
  },
  {
    says: 'what a person denied never runs afterwards',
    broken: ({ turn }) =>
      eachCall(turn, (callId) => {
        let state = 'new';
        let denied = false;
        return first(turn.storyOf(callId), (event) => {
          if (event.type === 'tool_call_decision')
            denied ||= event.data.action === 'cancel' && state === 'suspended';
          if (event.type !== 'tool_call_status') return null;
          state = event.data.to;
          return denied && state !== 'cancelled' ? `${callId} is ${state} at seq ${event.seq}` : null;
        });
      }),
  },
  {
    says: 'an unknown outcome has no second run without a resume',
    broken: ({ turn }) =>
      eachCall(turn, (callId) => {
        const runs = turn.moves(callId).filter(({ data }) => data.to === 'running').length;
        const resumes = turn.moves(callId).filter(({ data }) => data.to === 'resuming').length;
        return runs > 1 + resumes ? `${callId}: ${runs} runs, ${resumes} resumes` : null;
      }),
  },
  {
    says: 'nothing of a round goes on while one of it is undecided, when they are decided together',
    broken: ({ turn, batch, recovered }) => {
      if (!batch) return null;
      const resumed = turn.of('tool_call_status').filter(({ data }) => data.to === 'resuming');
      return first(resumed, ({ seq, data }) => {
        if (recovered(seq)) return null;
        const round = turn.of('tool_call').filter((call) => call.data.stream_run_id === data.stream_run_id);
        const said = turn.storyOf(data.call_id).findLast((event) => event.seq < seq && isDecision(event));
        // One that is asked about only after that, or again, does not hold back what was decided before.
        const open = round.find(
          ({ data: { call_id } }) =>
            turn.isUndecided(call_id, seq) &&
            turn.isUndecided(call_id, said?.seq) &&
            turn.approvals(call_id).every((approved) => approved.seq > seq),
        );
        return open === undefined ? null : `${data.call_id} at seq ${seq}, beside ${open.data.call_id}`;
      });
    },
  },
  {
    says: 'a run waits for something',
    broken: ({ turn }) =>
      first(
        turn.of('run_status').filter(({ data }) => data.status === 'waiting'),
        ({ seq }) => {
          const calls = turn.of('tool_call').filter((call) => call.seq < seq);
          return calls.some(({ data }) => turn.callState(data.call_id, seq) === 'suspended')
            ? null
            : `seq ${seq} for nothing`;
        },
      ),
  },
];

function eachCall(turn: TurnFacts, trouble: (callId: string) => string | null): string | null {
  return first(turn.of('tool_call'), ({ data }) => trouble(data.call_id));
}

function isDecision({ type }: { readonly type: string }): boolean {
  return type === 'tool_call_decision';
}
