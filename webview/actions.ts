import { isRecord, stringIn } from './fields.ts';

/** Something to do next, which a button can stand for. */
export interface Action {
  readonly label: string;
  readonly command: string;
  readonly args?: unknown;
}

export function actionsIn(value: unknown): readonly Action[] {
  return (Array.isArray(value) ? value : []).flatMap((one: unknown) => {
    const label = stringIn(one, 'label');
    const command = stringIn(one, 'command');
    if (label === undefined || command === undefined || !isRecord(one)) return [];
    return [{ label, command, ...(one.args === undefined ? {} : { args: one.args }) }];
  });
}
