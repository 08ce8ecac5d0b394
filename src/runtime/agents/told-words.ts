/** The most that a model is told of several children at once; all their words are in their own sessions. */
const LONGEST = 48_000;
/** So much is told of each, however many there are. */
const LEAST = 200;

/** Pure: the words of several ends, each whole as long as there is room; where there is not, the longest give way. */
export function toldTogether(all: readonly string[]): readonly string[] {
  const share = Math.max(LEAST, fairShare(all.map(({ length }) => length)));
  return all.map((words) => shortened(words, share));
}

/** How long each may be at most so that all fit: what a short one does not need is for the others. */
function fairShare(lengths: readonly number[]): number {
  let [room, left] = [LONGEST, lengths.length];
  for (const length of lengths.toSorted((one, other) => one - other)) {
    if (length > room / left) return Math.floor(room / left);
    room -= length;
    left -= 1;
  }
  return LONGEST;
}

function shortened(words: string, longest: number): string {
  if (words.length <= longest) return words;
  const rest = words.length - longest;
  return `${words.slice(0, longest).toWellFormed()}\n[Shortened, because many agents are told of at once: ${rest} more characters are in the agent's own session. send_input can ask it for what matters.]`;
}
