/**
 * What a field may keep of itself. There is none that lets a text pass as it is: what a rule does not know is content.
 *
 * `number` numbers, booleans and null. `word` a word of the program, such as a state. `id`, `hash`, `key` names that only have
 * to stay equal to each other. `time` a time. `text` content. `path` a place. `name` the name of a tool. `model`, `endpoint`
 * who was asked. `version` of the program. `branch` of a repository. `command` one of ours. `type` a type of event. `args`
 * arguments, JSON in a string. `json` content of any shape. `item` a reasoning item. `image` bytes of a picture. `blob` the name
 * of a body. `none` nothing ever leaves.
 */
export type Rule =
  | 'number'
  | 'word'
  | 'id'
  | 'hash'
  | 'key'
  | 'time'
  | 'text'
  | 'path'
  | 'name'
  | 'model'
  | 'endpoint'
  | 'version'
  | 'branch'
  | 'command'
  | 'type'
  | 'args'
  | 'json'
  | 'item'
  | 'image'
  | 'blob'
  | 'none'
  | { readonly list: Rule }
  | { readonly object: Fields }
  /** How many of each name. */
  | { readonly counts: Rule };

export type Fields = Readonly<Record<string, Rule>>;

/** A rule for every field, also for those that need not be there: a new field without one does not compile. */
export type RulesOf<D> = { readonly [K in keyof D]-?: Rule };

export function object<D extends object>(fields: RulesOf<D>): Rule {
  return { object: fields };
}

export function list(rule: Rule): Rule {
  return { list: rule };
}
