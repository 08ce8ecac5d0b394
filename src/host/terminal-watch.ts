import { setTimeout as delay } from 'node:timers/promises';
import * as vscode from 'vscode';
import { startedOutput, type TerminalOutput, withWritten } from './terminal-output.ts';

const PATIENCE_MS = 1500;
const STEP_MS = 50;

/**
 * The last command of each terminal and what it wrote, kept in memory only and used only when a person asks about
 * it. VS Code tells extensions of it where its shell integration works, and has no other stable way: neither the
 * buffer nor the selection of a terminal can be read. Of a command that ends at once it often tells nothing but
 * that: what came with the mark of its start is not given out.
 */
export class TerminalWatch implements vscode.Disposable {
  private readonly outputs = new WeakMap<vscode.Terminal, TerminalOutput>();
  private readonly executions = new WeakMap<vscode.Terminal, vscode.TerminalShellExecution>();
  private readonly subscription: vscode.Disposable;

  constructor(private readonly onError: (error: unknown) => void) {
    this.subscription = vscode.Disposable.from(
      vscode.window.onDidStartTerminalShellExecution(({ terminal, execution }) => {
        this.executions.set(terminal, execution);
        this.outputs.set(terminal, startedOutput(execution.commandLine.value));
        this.follow(terminal, execution).catch(this.onError);
      }),
      vscode.window.onDidEndTerminalShellExecution(({ terminal, execution, exitCode }) => {
        const output = this.outputs.get(terminal);
        if (output === undefined || this.executions.get(terminal) !== execution) return;
        this.outputs.set(terminal, {
          ...output,
          command: execution.commandLine.value,
          exit_code: exitCode ?? null,
          ended: true,
        });
      }),
    );
  }

  /** A command that has just been typed may still be on its way: it is waited for, but not for long. */
  async lastOutput(terminal: vscode.Terminal): Promise<TerminalOutput | null> {
    for (let waited = 0; waited < PATIENCE_MS; waited += STEP_MS) {
      const output = this.outputs.get(terminal);
      if (output?.ended === true) return output;
      await delay(STEP_MS);
    }
    return this.outputs.get(terminal) ?? null;
  }

  dispose(): void {
    this.subscription.dispose();
  }

  private async follow(terminal: vscode.Terminal, execution: vscode.TerminalShellExecution): Promise<void> {
    for await (const raw of execution.read()) {
      const output = this.outputs.get(terminal);
      if (output === undefined || this.executions.get(terminal) !== execution) return;
      this.outputs.set(terminal, withWritten(output, raw));
    }
  }
}
