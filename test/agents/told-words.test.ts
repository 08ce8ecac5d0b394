import { describe, expect, it } from 'vitest';
import { toldTogether } from '../../src/runtime/agents/told-words.ts';
import { agentStage, asks, says, spawn, wait } from './cast.ts';

const on = agentStage();

const tasks = (count: number): readonly string[] =>
  Array.from({ length: count }, (_, index) => `task ${index}`);

describe('the words of several ends', () => {
  it('are whole where there is room for all of them', () => {
    const words = ['a'.repeat(12_000), 'b', 'c'.repeat(12_000), 'd'.repeat(12_000)];
    expect(toldTogether(words)).toEqual(words);
  });

  it('give way where there is not, the longest of them, and say where the rest is', () => {
    const told = toldTogether(['short', ...tasks(11).map(() => 'x'.repeat(12_000))]);
    expect(told[0]).toBe('short');
    expect(told[1]).toMatch(
      /^x{4363} \[\.\.\.\] \[Words that end so were shortened, .* own session; send_input/u,
    );
    expect(told[2]).toMatch(/^x{4363} \[\.\.\.\]$/u);
    expect(told.join('').length).toBeLessThan(48_500);
  });

  it('are told in part of each, however many there are', () => {
    const told = toldTogether(tasks(1000).map((task) => `${task} ${'x'.repeat(12_000)}`));
    expect(told.every((words, index) => words.startsWith(`task ${index} x`))).toBe(true);
    expect(told.join('').length).toBeLessThan(56_000);
  });
});

describe('many children with long last words', () => {
  const many = tasks(12);
  const roles = Object.fromEntries(
    many.map((task) => [task, [says(`END of ${task}. ${'x'.repeat(20_000)}`)]]),
  );
  const spawns = asks(...many.map((task, index) => spawn(`c${index}`, task)));

  it('are told of once each, within a bound, by the call that waited for them', async () => {
    const window = await on.play(
      { Go: [spawns, asks(wait('w')), says('Done.')], ...roles },
      { 'subagents.maxRunning': 12 },
    );
    expect(window.state).toBe('completed');
    const output = String(on.output(on.requests.length - 1, 'w'));
    expect(output.length).toBeLessThan(60_000);
    for (const task of many) expect(output.split(`END of ${task}.`)).toHaveLength(2);
    expect(await on.delivered()).toEqual([]);
  });

  it('are told of once each, within a bound, where nobody waited', async () => {
    const window = await on.play(
      { Go: [spawns, says('Meanwhile.'), ...many.map(() => says('I see.'))], ...roles },
      { 'subagents.maxRunning': 12 },
    );
    expect(window.state).toBe('completed');
    const told = await on.delivered();
    expect(told).toHaveLength(many.length);
    const input = JSON.stringify(on.requests.at(-1)?.input);
    for (const task of many) expect(input.split(`END of ${task}.`)).toHaveLength(2);
  });
});

const isOf =
  (count: number) =>
  (agents: readonly unknown[]): boolean =>
    agents.length === count;

describe('the children of a long session', () => {
  it('that have ended long ago are counted, and not listed', async () => {
    const many = tasks(60);
    const window = await on.play(
      {
        Go: [
          asks(...many.map((task, index) => spawn(`c${index}`, task))),
          asks(wait('w1')),
          asks(['l', 'list_agents', {}], wait('w2')),
          says('Done.'),
        ],
        ...Object.fromEntries(many.map((task) => [task, [says('ok')]])),
      },
      { 'subagents.maxRunning': 64 },
    );
    expect(window.state).toBe('completed');
    expect(await on.outputOf('w1')).toEqual({ agents: expect.toSatisfy(isOf(60)) });
    const note = '10 older agents that have ended are not listed.';
    expect(await on.outputOf('l')).toEqual({ agents: expect.toSatisfy(isOf(50)), note });
    expect(await on.outputOf('w2')).toEqual({ agents: expect.toSatisfy(isOf(50)), note });
  });
});
