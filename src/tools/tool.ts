import * as z from 'zod';
import type { Effect, ToolContext, ToolOutcome, ToolSpec } from '../runtime/ports.ts';
import { fault, ok, type Result, type ToolFault } from './tool-faults.ts';

/** What a call acts on, known before it runs. */
export interface Target {
  readonly subject: string;
  readonly writes: readonly string[];
}

export interface ToolDefinition<Input> {
  readonly name: string;
  readonly description: string;
  readonly effect: Effect;
  readonly schema: z.ZodType<Input>;
  /** Told to the model instead of `schema`, where that has a part of any shape: such a tool is not strict. */
  readonly parameters?: ToolSpec['parameters'];
  /** Refuses what would be refused anyway, so that nobody is asked about it. */
  target(input: Input): Result<Target>;
  /** `subject` is the one that was approved: a path that leads elsewhere by now is refused. */
  run(input: Input, context: ToolContext, subject: string): Promise<ToolOutcome>;
  /** The change that a writing tool would make, for an approval to show. */
  change?(input: Input, signal: AbortSignal, subject: string): Promise<Result<ProposedChange>>;
  /** Pure: what it makes of a file with these bytes. */
  outcomeOn?(input: Input, before: Buffer | undefined): Result<Buffer>;
}

/** A change that is not made: what a diff of it needs, and what tells later whether the file is the same. */
export interface ProposedChange {
  readonly path: string;
  readonly real_path: string;
  /** Null when the file would be created. */
  readonly before: string | null;
  readonly before_sha256: string | null;
  readonly after: string;
  /** The file has exactly this content already. The texts may be the same where the bytes are not. */
  readonly is_noop: boolean;
}

/** A tool whose argument type only it knows. */
export interface Tool {
  readonly spec: ToolSpec;
  prepare(args: unknown): Result<Target & { readonly input: unknown }>;
  run(input: unknown, context: ToolContext, subject: string): Promise<ToolOutcome>;
  /** Undefined for tools that change no file. */
  change(input: unknown, signal: AbortSignal, subject: string): Promise<Result<ProposedChange> | undefined>;
  /** Undefined for tools that change no file. */
  outcomeOn(input: unknown, before: Buffer | undefined): Result<Buffer> | undefined;
}

export function defineTool<Input>(definition: ToolDefinition<Input>): Tool {
  const { name, description, effect, schema } = definition;
  const parse = (args: unknown): Result<Input> => {
    const parsed = schema.safeParse(args);
    return parsed.success
      ? ok(parsed.data)
      : fault(
          'invalid_arguments',
          `The arguments of ${name} are not valid: ${explainIssues(parsed.error.issues)}.`,
        );
  };
  return {
    spec:
      definition.parameters === undefined
        ? { name, description, parameters: parametersOf(schema), effect }
        : { name, description, parameters: definition.parameters, effect, strict: false },
    prepare(args) {
      const input = parse(args);
      if (!input.ok) return input;
      const target = definition.target(input.value);
      return target.ok ? ok({ ...target.value, input: input.value }) : target;
    },
    async run(input, context, subject) {
      const parsed = parse(input);
      return parsed.ok ? await definition.run(parsed.value, context, subject) : failed(parsed.error);
    },
    async change(input, signal, subject) {
      const parsed = parse(input);
      return parsed.ok ? await definition.change?.(parsed.value, signal, subject) : parsed;
    },
    outcomeOn(input, before) {
      const parsed = parse(input);
      return parsed.ok ? definition.outcomeOn?.(parsed.value, before) : parsed;
    },
  };
}

export function failed(error: ToolFault): ToolOutcome {
  return { kind: 'failure', error, changes: [] };
}

export function succeeded(output: string): ToolOutcome {
  return { kind: 'success', output, changes: [] };
}

function explainIssues(issues: readonly z.core.$ZodIssue[]): string {
  return issues
    .map((issue) => (issue.path.length === 0 ? issue.message : `${issue.path.join('.')}: ${issue.message}`))
    .join('; ');
}

const JsonSchema = z.looseObject({
  type: z.union([z.string(), z.array(z.string())]).optional(),
  description: z.string().optional(),
  anyOf: z.array(z.looseObject({ type: z.string() })).optional(),
});

const ObjectSchema = z.looseObject({ properties: z.record(z.string(), JsonSchema) });

/** Schemas never change, while tools are made anew for each run: also for each of many children. */
const KNOWN_PARAMETERS = new WeakMap<z.ZodType, ToolSpec['parameters']>();

function parametersOf(schema: z.ZodType): ToolSpec['parameters'] {
  const known = KNOWN_PARAMETERS.get(schema) ?? strictParameters(schema);
  KNOWN_PARAMETERS.set(schema, known);
  return known;
}

/**
 * The schema as strict function calling wants it: no other keys, every key required, and what may be left
 * out allows null. Bounds stay with zod, whose messages say more than a refusal by the provider.
 */
export function strictParameters(schema: z.ZodType): Readonly<Record<string, unknown>> {
  const { properties } = ObjectSchema.parse(z.toJSONSchema(schema, { io: 'input' }));
  const strict = Object.entries(properties).map(([key, property]) => {
    const type = property.anyOf?.map((option) => option.type) ?? property.type;
    return [key, { type, description: property.description }] as const;
  });
  return {
    type: 'object',
    properties: Object.fromEntries(strict),
    required: strict.map(([key]) => key),
    additionalProperties: false,
  };
}
