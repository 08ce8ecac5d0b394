import { describe, expect, it } from 'vitest';
import { held } from '../lifecycle/held-replies.ts';
import { agentStage, asks, says, spawn } from './cast.ts';

const on = agentStage();

describe('a child that was given more to do before its first end was told', () => {
  it('is waited for, and the model is not asked again and again meanwhile', async () => {
    const second = held(says('SECOND.'));
    const ended = Promise.withResolvers<void>();
    const { window, turn } = await on.begin({
      Go: [
        asks(spawn('1', 'a')),
        on.naming('a', (id) => asks(['s', 'send_input', { id, text: 'More.' }]), ended.promise),
        says('Early.'),
        says('Done.'),
      ],
      a: [says('FIRST.'), second.reply],
    });
    await on.childEvent(window, 'finished');
    ended.resolve();
    await second.arrived;
    await window.until((message) => message.type === 'append' && JSON.stringify(message).includes('Early.'));
    second.release();
    expect(await turn).toBe('completed');
    const life = ['spawned', 'started', 'completed', 'continued', 'started'];
    expect(await on.lives()).toEqual({ a: [...life, 'delivered', 'completed', 'delivered'] });
  });
});
