import { sentence, type Words } from '../../runtime/inspection/spoken-words.ts';
import type { Say } from '../speech.ts';
import { HTML_STYLE } from './html-style.ts';
import { escaped, markdownHtml, preformatted } from './html-text.ts';
import {
  spokenParts,
  type Transcript,
  type TranscriptNode,
  type TranscriptSection,
} from './transcript-nodes.ts';

export interface HtmlOptions {
  readonly say: Say;
  /** As in BCP 47. */
  readonly language: string;
  /** Of the style, as a policy wants it. */
  readonly style_sha256_base64: string;
}

/**
 * Pure: a transcript as one file that can be opened anywhere. It has no script, asks for nothing and runs nothing: its policy
 * forbids that, and nothing in it would want to.
 */
export function transcriptHtml(transcript: Transcript, options: HtmlOptions): string {
  const { say } = options;
  const { title, about, sections } = transcript;
  const name = title.trim() === '' ? sentence('Without a message') : title;
  const heading = inline(sentence('Session: {0}', name), say);
  const policy = `default-src 'none'; style-src 'sha256-${options.style_sha256_base64}'; img-src data:; form-action 'none'; base-uri 'none'`;
  return `<!doctype html>
<html lang="${escaped(options.language)}">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${escaped(policy).replaceAll('&#39;', "'")}">
<meta name="referrer" content="no-referrer">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${heading.replaceAll(/<\/?code>/gu, '')}</title>
<style>${HTML_STYLE}</style>
</head>
<body>
<header>
<h1>${heading}</h1>
${nodes(about, say)}
</header>
${contents(sections, say)}<main>
${sections.map((section, index) => sectionHtml(section, index, say)).join('\n')}
</main>
</body>
</html>
`;
}

function contents(sections: readonly TranscriptSection[], say: Say): string {
  if (sections.length < 2) return '';
  const items = sections.map(
    ({ title, turn }, index) =>
      `<li><a href="#s${index}">${inline(title, say)}</a>${turnHtml(turn, say)}</li>`,
  );
  return `<nav aria-label="${escaped(say(sentence('Turns')))}"><ul>${items.join('')}</ul></nav>\n`;
}

/** What a turn was about, so that whoever looks for one finds it. */
function turnHtml(turn: TranscriptSection['turn'], say: Say): string {
  if (turn === null) return '';
  const prompt = turn.prompt === '' ? '' : ` ${inline(turn.prompt, say)}`;
  return `${prompt} <small>${inline(turn.state, say)}</small>`;
}

function sectionHtml({ title, nodes: own }: TranscriptSection, index: number, say: Say): string {
  return `<section aria-labelledby="s${index}">\n<h2 id="s${index}">${inline(title, say)}</h2>\n${nodes(own, say)}\n</section>`;
}

/** Lines that follow each other are one list. */
function nodes(all: readonly TranscriptNode[], say: Say): string {
  const written: string[] = [];
  let facts: string[] = [];
  const end = (): void => {
    if (facts.length > 0) written.push(`<ul class="facts">${facts.join('')}</ul>`);
    facts = [];
  };
  for (const node of all) {
    if (node.kind === 'line') {
      facts.push(`<li>${inline(node.words, say)}</li>`);
      continue;
    }
    end();
    written.push(nodeHtml(node, say));
  }
  end();
  return written.join('\n');
}

function nodeHtml(node: Exclude<TranscriptNode, { kind: 'line' }>, say: Say): string {
  switch (node.kind) {
    case 'heading':
      return `<h3>${inline(node.words, say)} <small>${inline(node.place, say)}</small></h3>`;
    case 'quote': {
      const label = node.label === null ? '' : `<p class="label">${inline(node.label, say)}</p>\n`;
      return label + quoteHtml(node);
    }
    case 'image':
      return `<figure><img alt="${escaped(plain(node.label, say))}" src="data:${node.mime};base64,${escaped(node.data)}"></figure>`;
  }
}

function quoteHtml({ of, text }: Extract<TranscriptNode, { kind: 'quote' }>): string {
  switch (of) {
    case 'prompt':
    case 'answer':
    case 'text':
    case 'partial':
      return `<div class="quote ${of}">${markdownHtml(text)}</div>`;
    case 'tool':
    case 'note':
      return preformatted(text);
  }
}

function inline(words: Words, say: Say): string {
  return spokenParts(words, say)
    .map(({ text, foreign }) => (foreign ? `<code>${escaped(text)}</code>` : escaped(text)))
    .join('');
}

function plain(words: Words, say: Say): string {
  return spokenParts(words, say)
    .map(({ text }) => text)
    .join('');
}
