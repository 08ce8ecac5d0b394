/** The front matter of a skill, or why it is none. */
export type SkillFile =
  | {
      readonly ok: true;
      readonly name: string;
      readonly description: string;
      readonly when_to_use: string | null;
      /** Whether the model may choose it by itself. */
      readonly for_model: boolean;
    }
  | { readonly ok: false; readonly reason: string };

const NAME = /^[a-z0-9][a-z0-9-]{0,63}$/u;
const LONGEST_TEXT = 1024;

/**
 * Pure: reads the head of a `SKILL.md`: a block between two lines of `---` with `name`, `description`, and where it says
 * so `when_to_use` and `disable-model-invocation`. Values are plain or quoted text, and go on in lines that are
 * indented. Nothing else of YAML is understood of these, so nothing else can be meant; other fields are none of ours.
 */
export function readSkillFile(text: string, folder: string): SkillFile {
  const head = /^\uFEFF?---[ \t]*\r?\n(?<fields>[^]*?)\r?\n---[ \t]*(?:\r?\n|$)/u.exec(text)?.groups?.[
    'fields'
  ];
  if (head === undefined) return bad('It does not begin with a block between two lines of ---.');
  const fields = fieldsOf(head);
  if (typeof fields === 'string') return bad(fields);
  const name = word(fields.get('name') ?? folder);
  const description = fields.get('description') ?? '';
  const use = fields.get('when-to-use') ?? '';
  const alone = word(fields.get('disable-model-invocation') ?? 'false').toLowerCase();
  if (!NAME.test(name)) return bad('Its name may have lower-case letters, digits and hyphens only.');
  if (description === '') return bad('It has no description, which says when to use it.');
  // Whoever writes it wants the model kept from the skill: what cannot be read must not let it in.
  if (alone !== 'true' && alone !== 'false')
    return bad('Its disable-model-invocation is neither true nor false.');
  return {
    ok: true,
    name,
    description: description.slice(0, LONGEST_TEXT),
    when_to_use: use === '' ? null : use.slice(0, LONGEST_TEXT),
    for_model: alone === 'false',
  };
}

/** The skill that a message begins with; null when it begins with something else, such as a path. */
export function calledSkill(message: string): string | null {
  return /^\/(?<name>[a-z0-9][a-z0-9-]{0,63})(?:\s|$)/u.exec(message)?.groups?.['name'] ?? null;
}

function bad(reason: string): SkillFile {
  return { ok: false, reason };
}

const OURS = ['name', 'description', 'when-to-use', 'disable-model-invocation'];
/** Said in another way than ours: as a key that is nested, marked or has no room behind its colon. */
const OURS_OTHERWISE = new RegExp(`(?:${OURS.join('|').replaceAll('-', '[-_]')})["']?\\s?(?::|$)`, 'iu');
const FIELD = /^(?<sign>["']?)(?<key>[$\p{L}\p{N}_][^:"']*)\k<sign>\s?:(?:\s(?<value>.*))?$/u;

/**
 * Our own, by their names with hyphens; or why they cannot be read. What may be the line that keeps the model out is not
 * passed over: one that is no field, or one of ours that is there twice. Fields of other programs are, however they are
 * written.
 */
function fieldsOf(head: string): ReadonlyMap<string, string> | string {
  const fields = new Map<string, string>();
  let last: string | null = null;
  for (const [at, line] of head.split(LINE_END).entries()) {
    const { key, value } = FIELD.exec(line)?.groups ?? {};
    const isOurs: boolean = last === null || OURS.includes(last);
    if (key !== undefined) {
      last = key.trim().toLowerCase().replaceAll('_', '-');
      if (!OURS.includes(last)) continue;
      if (fields.has(last)) return `Its block between --- says ${last} twice.`;
      fields.set(last, (value ?? '').trim());
    } else if (last !== null && /^(?:\s+|- *)\S/u.test(line)) {
      if (isOurs) fields.set(last, `${fields.get(last) ?? ''} ${line.trim()}`.trim());
    } else if (!/^\s*(?:#|$)/u.test(line) && (isOurs || OURS_OTHERWISE.test(line)))
      // The first line of the file is the one of ---.
      return `Line ${at + 2} is no field such as "name: value".`;
  }
  return new Map([...fields].map(([key, value]) => [key, plain(value)]));
}

const LINE_END = /\r\n|[\n\r\u2028\u2029]/u;
const QUOTED = /^(?<sign>["'])(?<words>.*)\k<sign>(?:\s+#.*)?$/u;

/** What is meant by a value, without its quotes or the sign of a text in several lines. */
function plain(value: string): string {
  const { sign, words } = QUOTED.exec(value)?.groups ?? {};
  if (words === undefined) return value.replace(/^[>|][+\-1-9]{0,2}(?:\s|$)/u, '');
  return sign === "'" ? words.replaceAll("''", "'") : words.replace(/\\(?<sign>["\\/])/gu, '$<sign>');
}

/** A name or a flag may have a comment behind it. */
function word(value: string): string {
  return value.replace(/(?:^|\s)#.*$/u, '').trim();
}
