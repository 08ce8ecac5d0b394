/** What exports and imports are made with: loaded when somebody asks for one. */
export { importBundle } from '../app/bundle/import-bundle.ts';
export { LARGEST_BUNDLE } from '../app/bundle/bundle-format.ts';
export { makeBundle } from '../app/bundle/make-bundle.ts';
export { RefusedBundle } from '../app/bundle/read-bundle.ts';
export { nodeHasher, nodeStorePorts } from '../app/node-ports.ts';
export { readTranscript } from '../app/session-transcript.ts';
export { bundleSummary } from '../presenter/bundle-summary.ts';
export { HTML_STYLE } from '../presenter/transcript/html-style.ts';
export { transcriptHtml } from '../presenter/transcript/transcript-html.ts';
export { transcriptMarkdown } from '../presenter/transcript/transcript-markdown.ts';
export { SessionStore } from '../storage/session-store.ts';
