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
 * indented. Nothing else of YAML is understood, so nothing else can be meant.
 */
export function readSkillFile(text: string, folder: string): SkillFile {
  const head = /^\uFEFF?---[ \t]*\r?\n(?<fields>[^]*?)\r?\n---[ \t]*(?:\r?\n|$)/u.exec(text)?.groups?.[
    'fields'
  ];
  if (head === undefined) return bad('It does not begin with a block between two lines of ---.');
  const fields = fieldsOf(head);
  if (typeof fields === 'string') return bad(fields);
  const name = fields.get('name') ?? folder;
  const description = fields.get('description') ?? '';
  const use = fields.get('when-to-use') ?? '';
  const alone = fields.get('disable-model-invocation') ?? 'false';
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

/**
 * By their names, with hyphens; or why they cannot be read. A line that is no field, or a field that is there twice, may be
 * one that keeps the model out, so it is not passed over.
 */
function fieldsOf(head: string): ReadonlyMap<string, string> | string {
  const fields = new Map<string, string>();
  let last: string | null = null;
  for (const [at, line] of head.split(LINE_END).entries()) {
    const { key, value } = /^(?<key>[\p{L}\p{N}_][^:"']*):(?:\s(?<value>.*))?$/u.exec(line)?.groups ?? {};
    if (key !== undefined) {
      last = key.trim().toLowerCase().replaceAll('_', '-');
      if (fields.has(last)) return `Its block between --- says ${last} twice.`;
      fields.set(last, unquoted((value ?? '').trim().replace(/^[>|][+-]?$/u, '')));
    } else if (last !== null && /^(?:\s+|- *)\S/u.test(line)) {
      fields.set(last, `${fields.get(last) ?? ''} ${line.trim()}`.trim());
    } else if (!/^\s*(?:#|$)/u.test(line))
      // The first line of the file is the one of ---.
      return `Line ${at + 2} is no field such as "name: value".`;
  }
  return fields;
}

const LINE_END = /\r\n|[\n\r\u2028\u2029]/u;

function unquoted(value: string): string {
  return /^(?<sign>["'])(?<words>.*)\k<sign>$/u.exec(value)?.groups?.['words'] ?? value;
}
