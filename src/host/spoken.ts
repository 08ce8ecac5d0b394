import * as vscode from 'vscode';
import { sayingIn, type Say } from '../presenter/speech.ts';

/** Says words in the language of this window. */
export const inLanguage: Say = (words) => sayingIn({ t: vscode.l10n.t, tag: vscode.env.language })(words);
