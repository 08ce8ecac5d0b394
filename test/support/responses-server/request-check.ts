import { checkItems } from './input-items.ts';
import { isList, isObject, type Refusal, refusal } from './refusals.ts';

/**
 * Checks a request as the API does, and our own contract on top (`store: false`, encrypted reasoning,
 * streaming). Null: it would be accepted.
 */
export function checkRequest(body: unknown): Refusal | null {
  if (!isObject(body)) return refusal('We could not parse the JSON body of your request.', null);
  const { model, input, tools } = body;
  if (typeof model !== 'string' || model === '') {
    return refusal("Missing required parameter: 'model'.", 'model', 'missing_required_parameter');
  }
  if (body.store !== false) return refusal('store must be false', 'store');
  if (body.stream !== true) return refusal('stream must be true', 'stream');
  if (!isList(body.include) || !body.include.includes('reasoning.encrypted_content')) {
    return refusal('include must ask for reasoning.encrypted_content', 'include');
  }
  const key = body.prompt_cache_key;
  if (typeof key !== 'string' || new TextEncoder().encode(key).length > 64) {
    return refusal("Invalid 'prompt_cache_key': string too long. Expected at most 64.", 'prompt_cache_key');
  }
  if (!isList(input))
    return refusal("Missing required parameter: 'input'.", 'input', 'missing_required_parameter');
  return (
    checkTools(tools) ?? checkItems(input) ?? checkIds(input) ?? checkPairs(input) ?? checkReasoning(input)
  );
}

function checkTools(tools: unknown): Refusal | null {
  if (tools === undefined) return null;
  if (!isList(tools)) return refusal("Invalid type for 'tools'", 'tools', 'invalid_type');
  const names = new Set<string>();
  for (const [index, tool] of tools.entries()) {
    const at = `tools[${index}]`;
    if (!isObject(tool) || tool.type !== 'function') return refusal(`Invalid value at '${at}.type'`, at);
    const { name } = tool;
    if (typeof name !== 'string' || !/^[\w-]{1,64}$/u.test(name)) {
      return refusal(`Invalid '${at}.name': string does not match pattern '^[a-zA-Z0-9_-]+$'.`, `${at}.name`);
    }
    if (names.has(name)) return refusal(`Duplicate tool name '${name}'`, at);
    names.add(name);
    const problem = tool.strict === true ? schemaProblem(tool.parameters, []) : null;
    if (problem !== null) {
      const message = `Invalid schema for function '${name}': ${problem}`;
      return refusal(message, `${at}.parameters`, 'invalid_function_parameters');
    }
  }
  return null;
}

/** Strict schemas: every object is closed and requires each of its properties. */
function schemaProblem(schema: unknown, path: readonly string[]): string | null {
  if (!isObject(schema)) return null;
  const where = `In context=(${path.map((part) => `'${part}'`).join(', ')})`;
  if (isObject(schema.properties)) {
    const names = Object.keys(schema.properties);
    if (schema.additionalProperties !== false) {
      return `${where}, 'additionalProperties' is required to be supplied and to be false.`;
    }
    const required = isList(schema.required) ? schema.required : [];
    const missing = names.find((name) => !required.includes(name));
    if (missing !== undefined) {
      return `${where}, 'required' is required to be supplied and to be an array including every key in properties. Missing '${missing}'.`;
    }
  } else if (path.length === 0) {
    return 'schema must be a JSON Schema of \'type: "object"\' with properties.';
  }
  for (const [key, value] of Object.entries(schema)) {
    const children =
      key === 'properties' && isObject(value) ? Object.entries(value) : [[key, value] as const];
    for (const [name, child] of children) {
      const list: readonly unknown[] = isList(child) ? child : [child];
      for (const one of list) {
        const problem = schemaProblem(one, [...path, ...(key === 'properties' ? ['properties'] : []), name]);
        if (problem !== null) return problem;
      }
    }
  }
  return null;
}

function checkIds(input: readonly unknown[]): Refusal | null {
  const seen = new Set<string>();
  for (const item of input.filter(isObject)) {
    if (typeof item.id !== 'string') continue;
    if (seen.has(item.id)) {
      const message = `Duplicate item found with id ${item.id}. Remove duplicate items from your input and try again.`;
      return refusal(message, 'input');
    }
    seen.add(item.id);
  }
  return null;
}

function checkPairs(input: readonly unknown[]): Refusal | null {
  const open = new Set<string>();
  const seen = new Set<string>();
  const answered = new Set<string>();
  for (const item of input.filter(isObject)) {
    const id = String(item.call_id);
    if (item.type === 'function_call') {
      if (seen.has(id)) return refusal(`Duplicate function call with call_id ${id}.`, 'input');
      seen.add(id);
      open.add(id);
    }
    if (item.type === 'function_call_output') {
      if (answered.has(id)) return refusal(`Duplicate tool output for call_id ${id}.`, 'input');
      if (!open.delete(id)) {
        return refusal(`No tool call found for function call output with call_id ${id}.`, 'input');
      }
      answered.add(id);
    }
  }
  const [missing] = open;
  return missing === undefined
    ? null
    : refusal(`No tool output found for function call ${missing}.`, 'input');
}

function checkReasoning(input: readonly unknown[]): Refusal | null {
  for (const [index, item] of input.entries()) {
    if (!isObject(item) || item.type !== 'reasoning') continue;
    const id = String(item.id);
    if (typeof item.encrypted_content !== 'string' || item.encrypted_content === '') {
      const message = `Item with id '${id}' not found. Items are not persisted when \`store\` is set to false.`;
      return { ...refusal(message, 'input'), status: 404 };
    }
    const next = input[index + 1];
    // Of several in a row, the last answers for all.
    const isOwn =
      isObject(next) &&
      (next.type === 'reasoning' || next.type === 'function_call' || next.role === 'assistant');
    if (!isOwn) {
      return refusal(
        `Item '${id}' of type 'reasoning' was provided without its required following item.`,
        'input',
      );
    }
  }
  return null;
}
