import { beforeEach } from 'vitest';
import { double } from '../host/vscode-double.ts';

/**
 * Tests share the modules they have loaded, and so the stand-in of VS Code: nothing in it outlives a test. Vitest runs
 * this anew for each file.
 */
beforeEach(() => double.reset());
