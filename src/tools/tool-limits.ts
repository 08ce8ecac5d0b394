/**
 * Every bound of the workspace tools in one place. What is left out is always said. An output with its notes
 * stays below 32 KiB, which is what an event holds without a blob.
 */
export const TOOL_LIMITS = {
  /** What read_file returns at most. */
  readLines: 2_000,
  readBytes: 31 * 1_024,
  /** How far read_file looks for a line; beyond it a command is the better tool. */
  readScanBytes: 256 * 1_024 * 1_024,
  listEntries: 1_000,
  listBytes: 31 * 1_024,
  /** How many entries are counted before list_files gives up counting. */
  listVisited: 100_000,
  searchMatches: 200,
  searchBytes: 31 * 1_024,
  searchLineChars: 300,
  searchFileBytes: 16 * 1_024 * 1_024,
  searchMs: 20_000,
  /** The largest file that write_file replaces or edit_file edits: its former bytes are kept. */
  writeBytes: 32 * 1_024 * 1_024,
  /** How much of a change is shown: to the model when it is made, to a person who is asked about it. */
  diffLines: 40,
  previewLines: 200,
  diffBytes: 16 * 1_024,
  commandHeadBytes: 15 * 1_024,
  commandTailBytes: 16 * 1_024,
  commandBlobBytes: 10 * 1_000 * 1_000,
  commandTimeoutSeconds: 120,
  /** How long pipes are still read after the shell has ended. */
  commandDrainMs: 250,
  /** The same while only a process of ours still has to pass output on, which takes time on a busy machine. */
  commandRelayMs: 5_000,
  /** Between the polite and the final signal. */
  commandGraceMs: 500,
  /**
   * The same, and for reading pipes, once the person has stopped the call: the loop waits a second for the
   * outcome, and then our process may exit.
   */
  commandStopMs: 20,
  progressMs: 100,
} as const satisfies Record<string, number>;

export type ToolLimits = { readonly [K in keyof typeof TOOL_LIMITS]: number };
