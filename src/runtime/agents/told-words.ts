/** The most that a model is told of several children at once; all their words are in their own sessions. */
const LONGEST = 48_000;
/** So much is told of each, however many there are. */
const LEAST = 40;
const CUT = ' [...]';
const WHY =
  " [Words that end so were shortened, because many agents are told of at once. The rest is in each agent's own session; send_input can ask it for what matters.]";

/** Pure: the words of several ends, each whole as long as there is room; where there is not, the longest give way. */
export function toldTogether(all: readonly string[]): readonly string[] {
  const share = Math.max(LEAST, fairShare(all.map(({ length }) => length)));
  const first = all.findIndex(({ length }) => length > share);
  return all.map((words, index) =>
    words.length <= share ? words : shortened(words, share, index === first),
  );
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

function shortened(words: string, longest: number, isFirst: boolean): string {
  return `${words.slice(0, longest).toWellFormed()}${CUT}${isFirst ? WHY : ''}`;
}
