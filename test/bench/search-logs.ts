import { partPath, partText, prose, PARTS } from '../support/long-session/prose.ts';

/** In one turn of the oldest and of the newest log. */
export const RARE = 'The zebra crossing is closed';

const DAY_MS = 86_400_000;
const ENCRYPTED = 'gAAAAABo'.repeat(160);

/** Turns like those of a working day: reads, commands, edits, thoughts, usage; one of twelve fails. Nothing is by chance. */
export class MadeTurns {
  private seq = 0;
  private turn = 0;
  private readonly begins: number;

  constructor(private readonly log: number) {
    // Each log is of a month of its own; the newest began with October 2026.
    this.begins = Date.UTC(2026, log, 1) - 31 * DAY_MS;
  }

  /** The lines of one more turn. */
  next(rare: boolean): string {
    this.turn += 1;
    const { turn, log } = this;
    const turn_id = `turn_${log}_${turn}`;
    const seed = log * 1000 + turn;
    const failed = turn % 12 === 0;
    const prompt = this.line('user_message', {
      turn_id,
      text: prose(seed, 25),
      client_turn_id: `client_${log}_${turn}`,
      attachments: [],
    });
    const rounds = Array.from({ length: 3 + (seed % 5) }, (_, at) => this.round(turn_id, seed + at, at));
    const said = `${prose(seed + 1, 120)}${seed % 40 === 0 ? ' Grüße!' : ''}${rare ? ` ${RARE}.` : ''}`;
    return [prompt, ...rounds, failed ? this.failure(turn_id) : this.answer(turn_id, said)].join('');
  }

  private round(turn_id: string, seed: number, at: number): string {
    const stream_run_id = `${turn_id}_run_${at}`;
    const call_id = `${turn_id}_call_${at}`;
    const runs = seed % 3 === 0;
    const path = partPath(seed % PARTS);
    const item = { type: 'reasoning', id: `rs_${call_id}`, summary: [], encrypted_content: ENCRYPTED };
    const place = { turn_id, stream_run_id, output_count: 2 };
    const args = JSON.stringify(runs ? { command: `npm test -- part-${seed % PARTS}` } : { path });
    const output = runs ? `${prose(seed, 90)}\n`.repeat(4) : partText(seed % PARTS);
    return [
      this.line('reasoning', { ...place, output_index: 0, item, model: 'bench', endpoint: 'bench' }),
      this.line('tool_call', {
        ...place,
        output_index: 1,
        call_id,
        name: runs ? 'run_command' : 'read_file',
        args,
      }),
      this.line('provider_usage', { turn_id, stream_run_id, ...USAGE }),
      this.line('tool_call_status', { turn_id, stream_run_id, call_id, from: 'new', to: 'running' }),
      this.line('tool_call_status', { turn_id, stream_run_id, call_id, from: 'running', to: 'succeeded' }),
      this.line('tool_result', { turn_id, stream_run_id, call_id, ok: true, output, duration_ms: 12 }),
    ].join('');
  }

  private answer(turn_id: string, text: string): string {
    const stream_run_id = `${turn_id}_answer`;
    return [
      this.line('assistant_message', { turn_id, stream_run_id, text, metadata: { partial: false } }),
      this.line('run_status', { turn_id, status: 'done', reason: 'natural_end' }),
    ].join('');
  }

  private failure(turn_id: string): string {
    const failed = {
      terminal_status: 'failed',
      error_kind: 'server_error',
      error_message: 'The server failed.',
    };
    return this.line('turn_failed', { turn_id, ...failed, details: {}, next_actions: [] });
  }

  private line(type: string, data: object): string {
    const { log, seq, turn } = this;
    this.seq += 1;
    // A minute and a half a turn at most: the longest log still ends in its month.
    const ts = new Date(this.begins + turn * 90_000 + (seq % 60) * 1000).toISOString();
    return `${JSON.stringify({ v: 1, id: `event_${log}_${seq}`, session_id: `ses_${log}`, seq, ts, type, data })}\n`;
  }
}

const USAGE = {
  model: 'bench',
  transport: 'http_sse',
  iteration: 1,
  tokens: { input: 12_000, cached: 11_000, output: 240, reasoning: 80, total: 12_240 },
  cache_hit_rate: 0.92,
  prompt_contract_version: 'll1',
  prompt_cache_key: 'll1:m_bench:r_ask:s_0123456789abcdef:t_0123456789ab:k_01234567',
  toolset_hash: '0123456789abcdef',
  skill_index_hash: '0123456789abcdef',
  session_family_hash: '0123456789abcdef',
  continuation: { attempted: false, used: false, reset_reason: null },
  context: { window_tokens: 400_000, ratio: 0.03, tier: 'none' },
  output_truncation: 'not_truncated',
};
