import { describe, expect, test } from 'vitest';
import { LiveSession, type Plot } from './live-session.ts';

type Input = (session: LiveSession) => void | Promise<void>;

const INPUTS: Readonly<Record<string, Input>> = {
  'resume a': (session) => session.decide('a', 'resume'),
  'cancel a': (session) => session.decide('a', 'cancel'),
  'resume b': (session) => session.decide('b', 'resume', { result: 'yes' }),
  'repeat': (session) => session.repeat(),
  'stop': (session) => session.stop(),
  'new message': (session) => session.send(),
  'crash': (session) => session.crash(),
};

/** How far a session has come when the person begins. */
const MOMENTS: Readonly<Record<string, (session: LiveSession) => Promise<void>>> = {
  'during inference': (session) => session.pass(50),
  'during the round': (session) => session.pass(150),
  'after the round': (session) => session.pass(250),
  'when all has come to rest': (session) => session.settle(),
  'while a decided call runs': async (session) => {
    await session.settle();
    session.decide('a', 'resume');
    await session.pass(50);
  },
};

const PLOTS: Readonly<Record<string, Plot>> = {
  'all calls pending': { read: false, batch: false },
  'another inference beside pending calls': { read: true, batch: false },
  'decided together': { read: false, batch: true },
};

const PATIENCE = { timeout: 120_000 };

async function begun(plot: Plot, moment: (session: LiveSession) => Promise<void>): Promise<LiveSession> {
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

function sequences(length: number): readonly (readonly string[])[] {
  if (length === 0) return [[]];
  return sequences(length - 1).flatMap((names) => Object.keys(INPUTS).map((name) => [...names, name]));
}

describe('whatever a person does, in any order', () => {
  for (const [title, plot] of Object.entries(PLOTS)) {
    for (const [when, moment] of Object.entries(MOMENTS)) {
      test(`one thing after the other, ${when}: ${title}`, PATIENCE, async () => {
        const seen = new Set<string>();
        let open: readonly (readonly string[])[] = [[]];
        let runs = 0;
        for (let length = 1; length <= 4; length += 1) {
          const longer: (readonly string[])[] = [];
          for (const names of open.flatMap((before) => Object.keys(INPUTS).map((name) => [...before, name]))) {
            runs += 1;
            const session = await begun(plot, moment);
            expect(await trouble(session, names, { at_once: false })).toBeNull();
            const { key } = session;
            if (seen.has(key)) continue;
            seen.add(key);
            longer.push(names);
            expect(await ending(session, names)).toBeNull();
          }
          open = longer;
        }
        console.info(`${title}, ${when}: ${runs} runs, ${seen.size} different`);
      });

      test(`all at once, ${when}: ${title}`, PATIENCE, async () => {
        for (const names of sequences(3)) {
          const session = await begun(plot, moment);
          expect(await trouble(session, names, { at_once: true })).toBeNull();
          expect(await ending(session, names)).toBeNull();
        }
      });
    }
  }
});
