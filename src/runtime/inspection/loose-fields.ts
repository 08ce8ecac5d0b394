import type { NextAction } from '../events.ts';

/** Fields that only a person reads. What has another shape is left out, and never makes a line damaged. */

export function textIn(data: object, name: string): string | null {
  const value = valueIn(data, name);
  return typeof value === 'string' && value !== '' ? value : null;
}

export function numberIn(data: object, name: string): number | null {
  const value = valueIn(data, name);
  return typeof value === 'number' && Number.isFinite(value) ? value : null;
}

export function actionsIn(data: object): readonly NextAction[] {
  const value = valueIn(data, 'next_actions');
  if (!Array.isArray(value)) return [];
  const actions: readonly unknown[] = value;
  return actions.filter(isAction);
}

export function valueIn(data: object, name: string): unknown {
  return Object.entries(data).find(([key]) => key === name)?.[1];
}

function isAction(value: unknown): value is NextAction {
  if (typeof value !== 'object' || value === null || !('label' in value) || !('command' in value))
    return false;
  return typeof value.label === 'string' && typeof value.command === 'string';
}

const LONGEST = 120;

/** The first line of a text, short enough for a label. */
export function oneLine(text: string, longest: number = LONGEST): string {
  const line = text.trim().split(/\r?\n/, 1)[0] ?? '';
  return line.length <= longest ? line : `${line.slice(0, longest - 1)}…`;
}
