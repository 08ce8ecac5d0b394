import { test } from 'vitest';
import { CORE } from './core.ts';
import { inputs } from './inputs.ts';
import { Play } from './play.ts';
const cast: any = { core: CORE, batch: false, tools: { a: { name: 'write', effect: 'write' }, b: { name: 'ask', effect: 'interact' }, c: { name: 'read', effect: 'read' } }, first: ['a','b'], suspends: { b: 'use_decision_as_result' } };
test('d', () => {
  let p = new Play(cast, null); p.goOn();
  const go = (name: string) => { const q = new Play(cast, p.position); inputs(cast, p.position).find((i) => i.name === name)!.play(q); p = q; };
  const crash = (at: any) => { const q = new Play(cast, at); const s = q.crash({ happened: false, outlives: false }); const n = q.recover(s); console.log('recovered', n, s); p = q; };
  go('calls a,b'); go('gate a,allowed b,asked'); console.log(p.passed.length); crash(p.passed[2]);
  console.log([...p.position.turn.open.values()], p.position.turn.run);
  go('cancel b'); console.log(p.passed.length); crash(p.passed[0]);
  console.log([...p.position.turn.open.values()], p.position.turn.run, p.passed.length);
});
