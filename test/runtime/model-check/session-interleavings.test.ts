import { describe, expect, test } from 'vitest';
import { SEARCHING, searchCases, searchRuns } from '../../support/search-runs.ts';
import { LiveSession, type Plot } from './live-session.ts';

type Input = (session: LiveSession) => void | Promise<void>;

const INPUTS: Readonly<Record<string, Input>> = {
  'resume a': (session) => session.decide('a', 'resume'),
  'cancel a': (session) => session.decide('a', 'cancel'),
  'resume b': (session) => session.decide('b', 'resume', { result: 'yes' }),
  repeat: (session) => session.repeat(),
  stop: (session) => session.stop(),
  'new message': (session) => session.send(),
  crash: (session) => session.crash(),
};

type Moment = (session: LiveSession) => Promise<void>;

const INFERRING: Moment = (session) => session.pass(50);
const IN_ROUND: Moment = (session) => session.pass(150);
const AFTER_ROUND: Moment = (session) => session.pass(250);
const AT_REST: Moment = (session) => session.settle();
const DECIDED: Moment = async (session) => {
  await session.settle();
  session.decide('a', 'resume');
  await session.pass(50);
};

const ALL_PENDING: Plot = { read: false, batch: false };
const ONE_DONE: Plot = { read: true, batch: false };
const TOGETHER: Plot = { read: false, batch: true };

/** How far a session has come when the person begins. */
const SCENES: Readonly<Record<string, readonly [Plot, Moment]>> = {
  'during inference': [ALL_PENDING, INFERRING],
  'during the round': [ALL_PENDING, IN_ROUND],
  'while all calls are pending': [ALL_PENDING, AT_REST],
  'while a decided call runs': [ALL_PENDING, DECIDED],
  'during inference beside pending calls': [ONE_DONE, AFTER_ROUND],
  'after an answer beside pending calls': [ONE_DONE, AT_REST],
  'during a round that is decided together': [TOGETHER, IN_ROUND],
  'while calls are pending that are decided together': [TOGETHER, AT_REST],
  'while one of them is decided': [TOGETHER, DECIDED],
};

const PATIENCE = { timeout: searchRuns(120_000) };
/** A scene is itself some inputs old. */
const LENGTH = SEARCHING ? 4 : 3;

async function begun([plot, moment]: readonly [Plot, Moment]): Promise<LiveSession> {
  const session = new LiveSession(plot);
  session.send();
  await session.idle();
  await moment(session);
  return session;
}

/** What a sequence breaks; null when nothing. Each input comes `after` the one before has been answered, or not. */
async function trouble(
  session: LiveSession,
  names: readonly string[],
  options: { readonly at_once: boolean },
): Promise<string | null> {
  try {
    for (const name of names) {
      await INPUTS[name]?.(session);
      if (options.at_once) continue;
      await session.idle();
      session.check();
    }
    return null;
  } catch (error) {
    return `${names.join(' | ')}: ${error instanceof Error ? error.message : String(error)}`;
  }
}

async function ending(session: LiveSession, names: readonly string[]): Promise<string | null> {
  try {
    await session.settle();
    session.check();
    await session.crash();
    session.check();
    return null;
  } catch (error) {
    return `${names.join(' | ')}, then all comes to rest: ${error instanceof Error ? error.message : String(error)}`;
  }
}

/** Of different inputs: a repeated one is an input of its own. */
function sequences(length: number): readonly (readonly string[])[] {
  if (length === 0) return [[]];
  return sequences(length - 1).flatMap((names) =>
    Object.keys(INPUTS)
      .filter((name) => !names.includes(name))
      .map((name) => [...names, name]),
  );
}

/** Three that each want something else of the turn: to go on with it, to end it, and to begin another. */
const CONTRARY: readonly (readonly string[])[] = [
  ['resume a', 'stop', 'new message'],
  ['stop', 'new message', 'resume a'],
  ['new message', 'resume a', 'stop'],
  ['new message', 'stop', 'resume b'],
  ['resume a', 'resume b', 'stop'],
  ['resume a', 'cancel a', 'new message'],
  ['cancel a', 'repeat', 'stop'],
  ['resume b', 'repeat', 'new message'],
];

/** Any two, some three, or two and the end of the process before anything has answered them. */
const AT_ONCE = searchCases(sequences(3), [
  ...sequences(2),
  ...CONTRARY,
  ...sequences(3).filter((names) => names.at(-1) === 'crash'),
]);

describe('whatever a person does, in any order', () => {
  for (const [when, scene] of Object.entries(SCENES)) {
    test(`one thing after the other, ${when}`, PATIENCE, async () => {
      const seen = new Set<string>();
      let runs = 0;
      let open: readonly (readonly string[])[] = [[]];
      for (let length = 1; length <= LENGTH; length += 1) {
        const longer: (readonly string[])[] = [];
        for (const names of open.flatMap((before) => Object.keys(INPUTS).map((name) => [...before, name]))) {
          runs += 1;
          const session = await begun(scene);
          expect(await trouble(session, names, { at_once: false })).toBeNull();
          // What leads to the same log at the same time goes on the same way.
          if (seen.has(session.key)) continue;
          seen.add(session.key);
          longer.push(names);
          expect(await ending(session, names)).toBeNull();
        }
        open = longer;
      }
      console.info(`${when}: ${runs} runs, ${seen.size} different`);
    });

    test(`all at once, ${when}`, PATIENCE, async () => {
      for (const names of AT_ONCE) {
        const session = await begun(scene);
        expect(await trouble(session, names, { at_once: true })).toBeNull();
        expect(await ending(session, names)).toBeNull();
      }
    });
  }
});
