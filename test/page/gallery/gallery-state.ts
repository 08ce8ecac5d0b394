import type { HostMessage } from '../../../src/presenter/protocol.ts';
import type { Model, Said } from '../../support/responses-server/answering.ts';
import type { Cast } from './cast.ts';
import type { Act } from '../bridge/documents.ts';
import type { Values } from '../bridge/vscode-api.ts';
import type { Stage } from './stage.ts';

/** A named state of the product: how the real extension is brought there, and by what one knows that it is. */
export interface GalleryState {
  /** As files have it: lower case and hyphens. */
  readonly name: string;
  /** As people read it. */
  readonly title: string;
  /** A selector of what this state draws. A picture without it would be a picture of something else. */
  readonly look: string;
  /** Words in it, where other states draw it too. */
  readonly says?: string;
  /** The offline model unless it is said: replies in order, those of a cast, a function, or no key at all. */
  readonly model?: readonly Said[] | Cast | Model | 'no_key';
  readonly settings?: Values;
  readonly language?: 'en' | 'de';
  /** Besides a short notes.txt; `null` for a window without a folder. */
  readonly files?: Readonly<Record<string, string>> | null;
  readonly trusted?: false;
  /** Drives the extension, as a page would. */
  readonly prepare?: (stage: Stage) => Promise<void>;
  /** What a person then does in the page itself. */
  readonly acts?: readonly Act[];
  /** Of the view, where one screen would leave out what it is about. */
  readonly height?: number;
  /** Shows the tab that was opened last, not the chat. */
  readonly tab?: true;
  /** For what cannot be had of the extension in time: messages that a host could send, and why they are made up. */
  readonly told?: { readonly why: string; readonly messages: () => readonly HostMessage[] };
}

export interface GalleryGroup {
  readonly title: string;
  readonly states: readonly GalleryState[];
}
