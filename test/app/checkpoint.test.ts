import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { checkpointAt } from '../../src/app/checkpoint.ts';
import { RECORD } from '../support/compaction-record.ts';
import { makePlace } from '../support/headless.ts';
import { made, numbered, oneOfEach } from '../support/made-events.ts';

let place: Awaited<ReturnType<typeof makePlace>>;

beforeEach(async () => {
  place = await makePlace();
  const { session_started, user_message } = oneOfEach();
  const log = numbered([session_started, made('history_compaction', 0, RECORD), user_message]);
  await mkdir(join(place.storage, 'sessions'), { recursive: true });
  await writeFile(
    join(place.storage, 'sessions', 's1.jsonl'),
    log.map((event) => `${JSON.stringify(event)}\n`).join(''),
  );
});

afterEach(() => place.remove());

test('a checkpoint is read from its place in the log', async () => {
  expect(await checkpointAt(place.storage, 's1', 1)).toMatchObject({ seq: 1, data: RECORD });
});

test('where there is another event, or none, there is no checkpoint', async () => {
  const none = await Promise.all([
    checkpointAt(place.storage, 's1', 0),
    checkpointAt(place.storage, 's1', 2),
    checkpointAt(place.storage, 's1', 99),
    checkpointAt(place.storage, 's2', 1),
  ]);
  expect(none).toEqual([null, null, null, null]);
});
