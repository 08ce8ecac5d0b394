import * as vscode from 'vscode';
import type { AgentPanels, AgentPanelsOptions } from './agent-panels.ts';
import { AGENT_PANEL } from './contribution-ids.ts';

/** The tabs with transcripts of children. What they are made of is loaded with the first of them. */
export class AgentTabs implements vscode.WebviewPanelSerializer {
  private loaded: Promise<AgentPanels> | null = null;
  private readonly restoring: vscode.Disposable;

  constructor(private readonly options: AgentPanelsOptions) {
    this.restoring = vscode.window.registerWebviewPanelSerializer(AGENT_PANEL, this);
  }

  panels(): Promise<AgentPanels> {
    this.loaded ??= this.load();
    return this.loaded;
  }

  async deserializeWebviewPanel(panel: vscode.WebviewPanel, state: unknown): Promise<void> {
    await (await this.panels()).restore(panel, state);
  }

  async close(sessionIds: readonly string[]): Promise<void> {
    await (await this.loaded)?.close(sessionIds);
  }

  async lend(sessionId: string, take: () => Promise<void>): Promise<void> {
    const panels = await this.loaded;
    return panels === null ? take() : panels.lend(sessionId, take);
  }

  /** Resolves when all of their logs are released. */
  async dispose(): Promise<void> {
    this.restoring.dispose();
    await (await this.loaded)?.dispose();
  }

  private async load(): Promise<AgentPanels> {
    const { AgentPanels: Panels } = await import('./agent-panels.ts');
    return new Panels(this.options);
  }
}
