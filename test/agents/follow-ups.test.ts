import { describe, expect, it } from 'vitest';
import { held } from '../lifecycle/held-replies.ts';
import { streamOf } from '../support/responses-server/reply.ts';
import { responseEvents } from '../support/responses-server/response-events.ts';
import { asks, childOf, lives, says, spawn, stage, type Window } from './cast.ts';

const on = stage();

function finished(window: Window): Promise<unknown> {
  return window.until(
    (message) =>
      message.type === 'append' &&
      message.items.some((item) => item.type === 'subagent_event' && item.data['event'] === 'finished'),
  );
}

describe('a child that was given more to do before its first end was told', () => {
  it('is waited for, and the model is not asked again and again meanwhile', async () => {
    const second = held(says('SECOND.'));
    const ended = Promise.withResolvers<void>();
    await on.cast({
      Go: [
        asks(spawn('1', 'a')),
        async () => {
          await ended.promise;
          const { subagent_id: id } = await childOf(on, 'a');
          return streamOf(responseEvents(asks(['s', 'send_input', { id, text: 'More.' }])));
        },
        says('Early.'),
        says('Done.'),
      ],
      a: [says('FIRST.'), second.reply],
    });
    const window = await on.open();
    const turn = window.turn('Go');
    await finished(window);
    ended.resolve();
    await second.arrived;
    await window.until((message) => message.type === 'append' && JSON.stringify(message).includes('Early.'));
    second.release();
    expect(await turn).toBe('completed');
    const life = ['spawned', 'started', 'completed', 'continued', 'started'];
    expect(await lives(on)).toEqual({ a: [...life, 'delivered', 'completed', 'delivered'] });
  });
});
