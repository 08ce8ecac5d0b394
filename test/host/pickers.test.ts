import { beforeEach, describe, expect, test, vi } from 'vitest';
import { Choices } from '../../src/host/choices.ts';
import { NO_FACTS } from '../../src/host/conversation-facts.ts';
import { hostSettings } from '../../src/host/host-settings.ts';
import { selectMode, selectModel, type PickerParts } from '../../src/host/pickers.ts';
import { double } from './vscode-double.ts';

vi.mock('vscode', async () => (await import('./vscode-double.ts')).vscodeDouble);

const AS_IN_SETTINGS = 'As in settings';

let parts: PickerParts;

beforeEach(() => {
  const kept = new Map<string, unknown>();
  const memory = {
    get: (key: string): undefined => kept.get(key) as undefined,
    update: async (key: string, value: unknown) => void kept.set(key, value),
    keys: () => [...kept.keys()],
    setKeysForSync: () => undefined,
  };
  const choices = new Choices({ workspaceState: memory, globalState: memory }, (error) => {
    throw error;
  });
  parts = { choices, chat: { knownFacts: async () => NO_FACTS } };
});

function described(label: string): string | undefined {
  return double.offered.find(([one]) => one === label)?.[1];
}

async function pick(select: (given: PickerParts) => Promise<void>, label: string): Promise<void> {
  double.answer = label;
  await select(parts);
}

function counts(): readonly string[] {
  const { provider, model, permissionMode } = hostSettings(parts.choices).settings;
  return [provider, model, permissionMode];
}

describe('a picker', () => {
  test('offers the mode of the settings, described with it, and picking that takes a pick back', async () => {
    double.settings = { permissionMode: 'read_only' };
    await pick(selectMode, 'Auto');
    expect(described(AS_IN_SETTINGS)).toBe('Read-only (current)');
    expect(counts().at(-1)).toBe('auto');
    await pick(selectMode, AS_IN_SETTINGS);
    expect([described(AS_IN_SETTINGS), described('Auto')]).toEqual(['Read-only', 'current']);
    expect(counts().at(-1)).toBe('read_only');
    expect(parts.choices.valueOf('permissionMode')).toBeUndefined();
  });

  test('gives model and provider back together', async () => {
    double.settings = { model: 'mine' };
    await pick(selectModel, 'Offline model');
    expect(counts()).toEqual(['offline', 'mine', 'ask']);
    await pick(selectModel, AS_IN_SETTINGS);
    expect(described(AS_IN_SETTINGS)).toBe('mine');
    expect(counts()).toEqual(['openai', 'mine', 'ask']);
  });

  test('begins on what counts now, whether it was picked or is as in the settings', async () => {
    await pick(selectMode, 'Auto');
    expect(double.focused).toBe(AS_IN_SETTINGS);
    await pick(selectMode, 'nothing of that name');
    expect(double.focused).toBe('Auto');
    await pick(selectModel, 'Offline model');
    expect(double.focused).toBe(AS_IN_SETTINGS);
    await pick(selectModel, 'nothing of that name');
    expect(double.focused).toBe('Offline model');
  });

  test('changes nothing when it is closed', async () => {
    await pick(selectMode, 'Auto');
    await pick(selectMode, 'nothing of that name');
    expect(counts().at(-1)).toBe('auto');
  });
});

test('a mode that the person makes stricter in settings counts over what was picked before', async () => {
  await pick(selectMode, 'Auto');
  double.settings = { permissionMode: 'ask' };
  expect(counts().at(-1)).toBe('ask');
  await pick(selectMode, 'Auto');
  expect(counts().at(-1)).toBe('auto');
});
