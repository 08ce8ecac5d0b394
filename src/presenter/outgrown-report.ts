import { sentence } from '../runtime/inspection/spoken-words.ts';
import { HERE, ReportText, requestLink, type Report } from './report-text.ts';
import type { Say } from './speech.ts';

const END_OF_TITLE = '\n\n';

/** Pure: a report of the next request, once the log has more: it stays what it was, says so, and leads to the one of now. */
export function outgrownReport({ text, links }: Report, sessionId: string, say: Say): Report {
  const at = text.indexOf(END_OF_TITLE) + END_OF_TITLE.length;
  const around = sentence('The log has grown since. Look at {0} as it is now.', HERE);
  const note = new ReportText(say).line({ around, link: requestLink(sessionId, null) }).gap().report;
  return {
    text: `${text.slice(0, at)}${note.text}${text.slice(at)}`,
    links: [
      ...note.links.map((link) => ({ ...link, offset: link.offset + at })),
      ...links.map((link) => ({ ...link, offset: link.offset + note.text.length })),
    ],
  };
}
