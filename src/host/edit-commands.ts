import type { CommandHandler, CommandParts } from './command-parts.ts';
import type { EditCommand } from './contribution-ids.ts';

/** Commands about what was changed in files. */
export function editCommands({ chat }: CommandParts): Record<EditCommand, CommandHandler> {
  return {
    undoTurn: async () => {
      const { turn_id } = await chat.knownFacts();
      if (turn_id !== null) await chat.present({ type: 'undo', turn_id });
    },
  };
}
