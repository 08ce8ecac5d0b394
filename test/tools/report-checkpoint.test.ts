import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { parseCheckpoint } from '../../src/runtime/workflows/checkpoint.ts';
import { reportCheckpointTool } from '../../src/tools/report-checkpoint.ts';
import { succeeded, type Tool } from '../../src/tools/tool.ts';
import { RecordingContext } from './tool-fixture.ts';

function toolIn(): { readonly tool: Tool; readonly folder: string } {
  const folder = mkdtempSync(join(tmpdir(), 'll-checkpoint-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const roots = [{ name: 'w', path: folder }];
  const storageDir = join(folder, '.storage');
  return { folder, tool: reportCheckpointTool({ roots, storageDir, platform: process.platform }) };
}

const REPORT = {
  status: 'checkpoint_ready',
  summary: 'It is done.',
  limitations: ['No Windows.'],
  verification: ['npm test: 12 passed'],
  artifacts: ['src/a.ts', 'src/b.ts', 'src/a.ts'],
};

test('a report is taken, and answered in a few words', async () => {
  const { tool } = toolIn();
  expect(tool.prepare(REPORT)).toMatchObject({
    ok: true,
    value: { subject: 'checkpoint_ready', writes: [] },
  });
  expect(await tool.run(REPORT, new RecordingContext(), '')).toEqual(
    succeeded('Reported as checkpoint_ready. Give your last answer now.'),
  );
  expect([tool.spec.effect, tool.spec.strict]).toEqual(['interact', false]);
});

test('the arguments of the call are the checkpoint', () => {
  expect(parseCheckpoint(REPORT)).toEqual({
    ok: true,
    checkpoint: {
      ...REPORT,
      artifacts: [
        { path: 'src/a.ts', sha256: null },
        { path: 'src/b.ts', sha256: null },
      ],
    },
  });
  const nothing = { limitations: null, verification: null, artifacts: null };
  expect(parseCheckpoint({ status: 'held', summary: 'Which?', ...nothing })).toEqual({
    ok: true,
    checkpoint: { status: 'held', summary: 'Which?', limitations: [], verification: [], artifacts: [] },
  });
});

test('one text stands for a list of one, and an artifact may be told by more than its path', () => {
  const report = { status: 'partial', summary: 'Half.', limitations: 'No Windows.', verification: '' };
  const artifacts = [{ path: 'src/a.ts', sha256: 'made up' }, 'src/b.ts'];
  expect(parseCheckpoint({ ...report, artifacts })).toEqual({
    ok: true,
    checkpoint: {
      status: 'partial',
      summary: 'Half.',
      limitations: ['No Windows.'],
      verification: [],
      artifacts: [
        { path: 'src/a.ts', sha256: null },
        { path: 'src/b.ts', sha256: null },
      ],
    },
  });
  expect(parseCheckpoint({ ...report, artifacts: [{ file: 'src/a.ts' }] })).toMatchObject({
    mistakes: [{ at: 'artifacts[0]', message: 'is not text' }],
  });
});

test.each([
  [null, ['arguments: is not an object']],
  [{}, ['status: is missing', 'summary: is missing']],
  [
    { status: 'timed_out', summary: ' ', limitations: 7, verification: [1], artifacts: ['/etc/passwd'] },
    [
      'status: is "timed_out", and has to be checkpoint_ready, partial, failed, held or needs_orchestrator',
      'summary: is empty',
      'limitations: is not a list',
      'verification[0]: is not text',
      'artifacts[0]: is not a path in the workspace: give one that is relative to it',
    ],
  ],
  [
    { status: 'failed', summary: 'No.', note: 1 },
    ['note: is no field here; the fields are status, summary, limitations, verification, artifacts'],
  ],
])('a report as %j is refused, with all that is wrong', async (args, lines) => {
  const { tool } = toolIn();
  const message = ['The arguments of report_checkpoint are not valid, and nothing was reported:', ...lines];
  expect(tool.prepare(args)).toEqual({
    ok: false,
    error: { kind: 'invalid_arguments', message: message.join('\n') },
  });
  expect(await tool.run(args, new RecordingContext(), '')).toMatchObject({ kind: 'failure' });
});

test('an artifact that leads out of the workspace is refused, and one that is not there is not', () => {
  const { tool, folder } = toolIn();
  const outside = mkdtempSync(join(tmpdir(), 'll-outside-'));
  onTestFinished(() => rmSync(outside, { recursive: true, force: true }));
  writeFileSync(join(outside, 'x'), '');
  symlinkSync(join(outside, 'x'), join(folder, 'link'));
  const report = { status: 'partial', summary: 'Half.' };
  expect(tool.prepare({ ...report, artifacts: ['not/there.txt'] }).ok).toBe(true);
  expect(tool.prepare({ ...report, artifacts: ['a', 'link'] })).toMatchObject({
    ok: false,
    error: { message: expect.stringContaining('artifacts[1]: link is outside the workspace.') },
  });
});
